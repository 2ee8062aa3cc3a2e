"""Asking models, keeping their answers, scoring them."""
