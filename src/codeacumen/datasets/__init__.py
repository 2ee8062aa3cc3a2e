"""Data sets: the catalogue of published ones, their local folders and download, and built ones."""

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
