"""Real Ray: a cluster of two nodes on this machine, one of which is killed in mid-build."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codeacumen.api import CodeacumenError
from codeacumen.corpus.build import Summary, build
from corpora import EXAMPLES, VIEWS, build_at, contents

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'codeacumen[ray]'")


def many_projects() -> list[str]:
    """Each package of an example as a project, so that there is work for two nodes."""
    folders = sorted({file.parent for root in EXAMPLES[:2] for file in Path(root).rglob("*.java")})
    return [f"p{place:02}={folder}" for place, folder in enumerate(folders)]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head with one processor and a node with one more."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ray.cluster_utils import Cluster

        found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        found.add_node(num_cpus=1)
        yield found
        ray.shutdown()
        found.shutdown()


@pytest.mark.filterwarnings("ignore")
def test_a_node_killed_in_mid_build_changes_nothing(cluster: Any, tmp_path: Path) -> None:
    from codeacumen.engines.ray import RayEngine

    sources = many_projects()
    out = tmp_path / "on-ray"
    outcome: list[Summary] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            engine = RayEngine(2, cluster.address)
            outcome.append(
                build(sources, out, engine=engine, views=VIEWS, cache=tmp_path / "cache")
            )
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    node = next(iter(cluster.worker_nodes))
    deadline = time.monotonic() + 240
    while not list(out.glob("shards/p*")) and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.02)
    done = len(list(out.glob("shards/p*")))
    cluster.remove_node(node, allow_graceful=False)
    thread.join(timeout=300)
    assert not failure, failure
    assert len(outcome) == 1
    assert 0 < done < len(sources), "the node was not killed in mid-build"
    build_at(tmp_path / "undisturbed", sources)
    assert contents(out) == contents(tmp_path / "undisturbed")


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    from codeacumen.engines.ray import RayEngine

    with pytest.raises(CodeacumenError, match=r"no Ray cluster at '127\.0\.0\.1:1'") as caught:
        RayEngine(1, "127.0.0.1:1")
    assert "ray start" in caught.value.hint
