"""How the networks of docs/networks.md were trained, measured and recorded."""
