"""Data sets: published ones (``catalogue``, ``fetch``) and built ones (``built``, ``variants``)."""

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
