"""What was run once to make a shipped artefact or a table of the docs; see README.md."""
