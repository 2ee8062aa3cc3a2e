"""Benchmarks: their tasks, data sets, published results and baselines, one package each."""
