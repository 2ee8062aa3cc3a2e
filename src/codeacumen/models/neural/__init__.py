"""Networks: the models that the papers evaluate, trained on data sets of our tasks."""
