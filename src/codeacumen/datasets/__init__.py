"""Published data sets: what they are, where they live on this machine, how to get them."""

from codeacumen.datasets.catalogue import CATALOGUE, DataFile, Dataset, dataset
from codeacumen.datasets.home import codeacumen_home, dataset_folder, missing_files, require

__all__ = [
    "CATALOGUE",
    "DataFile",
    "Dataset",
    "codeacumen_home",
    "dataset",
    "dataset_folder",
    "missing_files",
    "require",
]
