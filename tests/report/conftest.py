"""Fixtures for tests of the report."""

from __future__ import annotations

from report_pages import (
    at_home,
    bundle_javascript_once,
    copied_run,
    find_low_contrast,
    idbench_page,
    idbench_run,
    open_report_page,
    report_home,
    small_page,
    small_run,
)

__all__ = [
    "at_home",
    "bundle_javascript_once",
    "copied_run",
    "find_low_contrast",
    "idbench_page",
    "idbench_run",
    "open_report_page",
    "report_home",
    "small_page",
    "small_run",
]
