"""The nouns: what a task asks, what a model answers, what a run keeps.

Frozen records and Protocols only. Nothing here imports anything of ours, so that a third-party
model or task needs no other import than ``codeacumen.api`` and ``codeacumen.registry``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeacumen.api.base import CodeacumenError, Json
from codeacumen.api.benchmarks import Benchmark, DataFamily, InputLevels, Recipe, TaskGroup
from codeacumen.api.inputs import (
    FACE_PROTOCOLS,
    Classify,
    Embed,
    Example,
    Face,
    Generate,
    Input,
    Judge,
    Learner,
    Method,
    Model,
    Name,
    NamedMethod,
    Pair,
    Prompt,
    Question,
    Sight,
    Similarity,
    Supervision,
)
from codeacumen.api.results import Answer, Counts, Loss, ModelCard, Overall, Run, Score, Scores
from codeacumen.api.tasks import Ceiling, Convention, Instance, Metric, Task, TaskCard
from codeacumen.api.views import Table, View

if TYPE_CHECKING:
    from codeacumen.api.base import Floats

__all__ = [
    "FACE_PROTOCOLS",
    "Answer",
    "Benchmark",
    "Ceiling",
    "Classify",
    "CodeacumenError",
    "Convention",
    "Counts",
    "DataFamily",
    "Embed",
    "Example",
    "Face",
    "Floats",
    "Generate",
    "Input",
    "InputLevels",
    "Instance",
    "Json",
    "Judge",
    "Learner",
    "Loss",
    "Method",
    "Metric",
    "Model",
    "ModelCard",
    "Name",
    "NamedMethod",
    "Overall",
    "Pair",
    "Prompt",
    "Question",
    "Recipe",
    "Run",
    "Score",
    "Scores",
    "Sight",
    "Similarity",
    "Supervision",
    "Table",
    "Task",
    "TaskCard",
    "TaskGroup",
    "View",
]
