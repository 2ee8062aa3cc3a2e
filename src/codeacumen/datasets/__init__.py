"""Published data sets: what they are, where they live on this machine, how to get them."""

from codeacumen.datasets.catalogue import CATALOGUE, DataFile, Dataset, dataset
from codeacumen.datasets.local import dataset_folder, missing_files, require

__all__ = [
    "CATALOGUE",
    "DataFile",
    "Dataset",
    "dataset",
    "dataset_folder",
    "missing_files",
    "require",
]
