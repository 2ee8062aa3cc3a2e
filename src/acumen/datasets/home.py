"""Where data lives: ``ACUMEN_HOME``, by default the platform's user data folder."""

from __future__ import annotations

import os
from pathlib import Path

from acumen.api import AcumenError
from acumen.datasets.catalogue import Dataset, dataset


def acumen_home() -> Path:
    chosen = os.environ.get("ACUMEN_HOME")
    if chosen:
        return Path(chosen).expanduser()
    from platformdirs import user_data_path

    return user_data_path("acumen", appauthor=False)


def dataset_folder(data: Dataset) -> Path:
    """The folder of a data set; the commit is in its name, so two versions never mix."""
    return acumen_home() / "data" / f"{data.name}-{data.commit[:12]}"


def missing_files(data: Dataset) -> list[str]:
    """Files that are not there. Hashes were checked when they arrived."""
    folder = dataset_folder(data)
    return [file.name for file in data.files if not (folder / file.name).is_file()]


def require(name: str) -> Path:
    """The folder of a data set that is needed now, or an error that says how to get it."""
    data = dataset(name)
    missing = missing_files(data)
    if missing:
        raise AcumenError(
            f"the data set {name} is not on this machine ({len(missing)} of "
            f"{len(data.files)} files missing)",
            f"run `acumen data get {name}`, or `acumen data get {name} --from DIR` "
            "if you have a copy",
        )
    return dataset_folder(data)
