"""From a corpus to pairs of methods that may do the same: mined, compared, sampled, to be rated."""
