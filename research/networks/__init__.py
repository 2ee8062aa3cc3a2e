"""Scripts that trained, measured and recorded the networks of docs/networks.md."""
