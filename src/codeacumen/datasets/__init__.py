"""Data sets: the catalogue of published ones, their local folders and download, and built ones."""

from codeacumen.datasets.catalogue import (
    CATALOGUE,
    DataFile,
    Dataset,
    dataset_folder,
    find_dataset,
    missing_files,
    require_dataset,
)

__all__ = [
    "CATALOGUE",
    "DataFile",
    "Dataset",
    "dataset_folder",
    "find_dataset",
    "missing_files",
    "require_dataset",
]
