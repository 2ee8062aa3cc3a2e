"""Mine renames from code reviews: read pull requests and link their comments to methods."""
