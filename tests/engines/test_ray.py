"""Tests with Ray: a cluster of two nodes on this machine, one of which is killed in mid-build."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.build import Summary, build_corpus_folder
from corpora import EXAMPLES, VIEWS, build_corpus_at, read_files

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'codeacumen[ray]'")


def list_package_projects() -> list[str]:
    """Return each package of two examples as a project, so that there is work for two nodes."""
    folders = sorted({file.parent for root in EXAMPLES[:2] for file in Path(root).rglob("*.java")})
    return [f"p{number:02}={folder}" for number, folder in enumerate(folders)]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Start a cluster with a head node and a worker node of one processor each."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        ray_cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        ray_cluster.add_node(num_cpus=1)
        yield ray_cluster
        ray.shutdown()
        ray_cluster.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_killed_node_does_not_change_the_corpus(cluster: Any, tmp_path: Path) -> None:
    from codeacumen.engines.ray import RayEngine

    sources = list_package_projects()
    out = tmp_path / "on-ray"
    outcome: list[Summary] = []
    failure: list[BaseException] = []

    def build_on_ray() -> None:
        try:
            engine = RayEngine(2, cluster.address)
            outcome.append(
                build_corpus_folder(
                    sources, out, engine=engine, views=VIEWS, cache=tmp_path / "cache"
                )
            )
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=build_on_ray)
    thread.start()
    node = next(iter(cluster.worker_nodes))
    deadline = time.monotonic() + 240
    while not list(out.glob("shards/p*")) and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    built_count = len(list(out.glob("shards/p*")))
    cluster.remove_node(node, allow_graceful=False)
    thread.join(timeout=300)
    assert not failure, failure
    assert len(outcome) == 1
    assert 0 < built_count < len(sources), "the node was not killed in mid-build"
    build_corpus_at(tmp_path / "undisturbed", sources)
    assert read_files(out) == read_files(tmp_path / "undisturbed")


@pytest.mark.filterwarnings("ignore")
def test_missing_cluster_is_reported(tmp_path: Path) -> None:
    from codeacumen.engines.ray import RayEngine

    with pytest.raises(CodeacumenError, match=r"no Ray cluster at '127\.0\.0\.1:1'") as caught:
        RayEngine(1, "127.0.0.1:1")
    assert "ray start" in caught.value.hint
