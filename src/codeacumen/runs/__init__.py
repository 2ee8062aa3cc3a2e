"""Runs: ask models, store their answers, compute scores, and compare models."""
