"""Scripts that made a shipped artefact or a table of the docs, each run once; see README.md."""
