"""Baselines of GLUECode: completion by frequency, nulls by rule of thumb, and one model of all."""
