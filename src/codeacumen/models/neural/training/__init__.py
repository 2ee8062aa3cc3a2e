"""Training, the same for all networks: prepare examples, make batches, learn, save."""
