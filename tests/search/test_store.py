"""Stored indexes: built once, whole or not at all, and checked when opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from codeacumen.api import CodeacumenError, Json
from codeacumen.corpus import Corpus
from codeacumen.search.store import Stored, index_folder, open_or_build


def build(corpus: Corpus, stored: Stored) -> None:
    stored.write_array("numbers", np.arange(5))
    stored.write_value("shards", list(corpus.shards))


def build_never(corpus: Corpus, stored: Stored) -> None:
    raise AssertionError("the index is there")


def open_index(corpus: Corpus, cache: Path, built_by: Json = 1) -> Stored:
    return open_or_build("kind", corpus.folder, cache, built_by, build)


def test_an_index_is_built_once_for_each_way_to_build_it(
    examples_corpus: Corpus, tmp_path: Path
) -> None:
    stored = open_index(examples_corpus, tmp_path)
    again = open_or_build("kind", examples_corpus.folder, tmp_path, 1, build_never)
    assert again == stored
    assert again.array("numbers").tolist() == [0, 1, 2, 3, 4]
    assert isinstance(again.array("numbers", mapped=True), np.memmap)
    assert again.value("shards") == list(examples_corpus.shards)
    with pytest.raises(AssertionError):
        open_or_build("kind", examples_corpus.folder, tmp_path, 2, build_never)


def test_a_build_that_fails_leaves_nothing(examples_corpus: Corpus, tmp_path: Path) -> None:
    def fail(corpus: Corpus, stored: Stored) -> None:
        build(corpus, stored)
        raise RuntimeError("no space left")

    with pytest.raises(RuntimeError, match="no space left"):
        open_or_build("kind", examples_corpus.folder, tmp_path, 1, fail)
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_a_process_that_was_faster_wins(examples_corpus: Corpus, tmp_path: Path) -> None:
    def build_too_late(corpus: Corpus, stored: Stored) -> None:
        open_index(examples_corpus, tmp_path)
        build(corpus, stored)

    stored = open_or_build("kind", examples_corpus.folder, tmp_path, 1, build_too_late)
    assert stored.value("shards") == list(examples_corpus.shards)
    assert [folder.name for folder in stored.folder.parent.iterdir()] == [stored.folder.name]


@pytest.mark.parametrize("record", [None, "{", '{"schema": "codeacumen.search/1"}'])
def test_a_damaged_index_is_an_error_with_the_command_that_mends_it(
    record: str | None, examples_corpus: Corpus, tmp_path: Path
) -> None:
    file = open_index(examples_corpus, tmp_path).folder / "index.json"
    file.unlink() if record is None else file.write_text(record)
    with pytest.raises(CodeacumenError, match="cannot be read") as caught:
        open_index(examples_corpus, tmp_path)
    assert f"rm -r {file.parent}" in caught.value.hint


def test_a_folder_without_a_corpus(tmp_path: Path) -> None:
    with pytest.raises(CodeacumenError, match="holds no corpus"):
        index_folder("kind", tmp_path, tmp_path, 1)
