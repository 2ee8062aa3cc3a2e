"""Published data sets: what they are, where they live on this machine, how to get them."""

from acumen.datasets.catalogue import CATALOGUE, DataFile, Dataset, dataset
from acumen.datasets.home import acumen_home, dataset_folder, missing_files, require

__all__ = [
    "CATALOGUE",
    "DataFile",
    "Dataset",
    "acumen_home",
    "dataset",
    "dataset_folder",
    "missing_files",
    "require",
]
