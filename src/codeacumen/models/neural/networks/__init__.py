"""The networks, one file for each; `catalogue` names them."""
