"""Reading many inputs at once: a network waits for what it is to be asked, so all cores read."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from acumen.api import Input
from acumen.engines import Died, Engine, engine
from acumen.machine import processors
from acumen.models.neural.architecture import Features
from acumen.models.neural.catalogue import Plan

# Inputs that one worker takes at a time; with fewer than twice that, starting it costs more.
_CHUNK = 512
_LIMIT = 600.0


def read_all(plan: Plan, asked: Sequence[Input]) -> list[Features | None]:
    """Of each input what the architecture reads, in order; nothing where a process died of it."""
    if len(asked) < 2 * _CHUNK or processors() < 2:
        return read_here((plan, asked))
    jobs = [(plan, asked[at : at + _CHUNK]) for at in range(0, len(asked), _CHUNK)]
    found: dict[int, list[Features | None]] = {}
    for place, outcome in _engine().run(read_here, jobs, _LIMIT):
        died = isinstance(outcome, Died)
        found[place] = [None] * len(jobs[place][1]) if died else outcome
    return [one for place in range(len(jobs)) for one in found[place]]


def read_here(job: tuple[Plan, Sequence[Input]]) -> list[Features | None]:
    """What an engine runs."""
    plan, asked = job
    made = plan.make()
    return [made.read(one) for one in asked]


@lru_cache(maxsize=1)
def _engine() -> Engine:
    return engine("local", processors())
