"""Tests of stored indexes: built once, completely or not at all, and validated when opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError, Json
from codeacumen.corpus import Corpus
from codeacumen.search.store import StoredIndex, index_folder, open_or_build


def build_index(corpus: Corpus, stored: StoredIndex) -> None:
    stored.write_array("numbers", np.arange(5))
    stored.write_value("shards", list(corpus.shards))


def build_never(corpus: Corpus, stored: StoredIndex) -> None:
    raise AssertionError("the index is there")


def open_index(corpus: Corpus, cache: Path, built_by: Json = 1) -> StoredIndex:
    return open_or_build("kind", corpus.folder, cache, built_by, build_index)


def test_index_is_built_once_per_build_setting(examples_corpus: Corpus, tmp_path: Path) -> None:
    stored = open_index(examples_corpus, tmp_path)
    again = open_or_build("kind", examples_corpus.folder, tmp_path, 1, build_never)
    assert again == stored
    assert again.load_array("numbers").tolist() == [0, 1, 2, 3, 4]
    assert isinstance(again.load_array("numbers", mapped=True), np.memmap)
    assert again.load_value("shards") == list(examples_corpus.shards)
    with pytest.raises(AssertionError):
        open_or_build("kind", examples_corpus.folder, tmp_path, 2, build_never)


def test_a_build_that_fails_leaves_nothing(examples_corpus: Corpus, tmp_path: Path) -> None:
    def build_and_fail(corpus: Corpus, stored: StoredIndex) -> None:
        build_index(corpus, stored)
        raise RuntimeError("no space left")

    with pytest.raises(RuntimeError, match="no space left"):
        open_or_build("kind", examples_corpus.folder, tmp_path, 1, build_and_fail)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_first_finished_build_wins(examples_corpus: Corpus, tmp_path: Path) -> None:
    def build_too_late(corpus: Corpus, stored: StoredIndex) -> None:
        open_index(examples_corpus, tmp_path)
        build_index(corpus, stored)

    stored = open_or_build("kind", examples_corpus.folder, tmp_path, 1, build_too_late)
    assert stored.load_value("shards") == list(examples_corpus.shards)
    assert [folder.name for folder in stored.folder.parent.iterdir()] == [stored.folder.name]


@pytest.mark.parametrize("record", [None, "{", '{"schema": "codeacumen.search/1"}'])
def test_damaged_index_is_reported_with_command_that_removes_it(
    record: str | None, examples_corpus: Corpus, tmp_path: Path
) -> None:
    file = open_index(examples_corpus, tmp_path).folder / "index.json"
    file.unlink() if record is None else file.write_text(record)
    with pytest.raises(CodeacumenError, match="cannot be read") as caught:
        open_index(examples_corpus, tmp_path)
    assert f"rm -r {file.parent}" in caught.value.hint


def test_folder_without_corpus_is_reported(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        index_folder("kind", tmp_path, tmp_path, 1)
