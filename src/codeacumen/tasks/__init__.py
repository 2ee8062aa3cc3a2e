"""The kinds of tasks, each written once: a benchmark of an existing kind is a card and a loader."""
