"""``acumen names``: names checked, renames mined and made into a benchmark."""

from __future__ import annotations

from acumen.cli import (
    _names_calibrate,
    _names_check,
    _names_dataset,
    _names_mine,
    _names_reviews,
)
from acumen.cli._app import Verb, verbs

app = verbs("Check method names; mine renames from history and reviews.")
app.command("check", cls=Verb)(_names_check.check)
app.command("calibrate", cls=Verb)(_names_calibrate.calibrate)
app.command("mine", cls=Verb)(_names_mine.mine)
app.command("reviews", cls=Verb)(_names_reviews.reviews)
app.command("dataset", cls=Verb)(_names_dataset.dataset)
