"""Methods that were renamed: found in histories and reviews, decided on, made into a benchmark."""
