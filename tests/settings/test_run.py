"""A run has one length and one folder."""

import pytest
from pydantic import ValidationError

from gpocli.settings.run import RunSettings


def test_epochs_alone_replace_steps():
    assert (RunSettings(epochs=1.5).steps, RunSettings(epochs=1.5).epochs) == (None, 1.5)
    assert RunSettings().steps == 100


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"steps": None}, "the run has no length; write a number of steps, or epochs"),
        ({"steps": 5, "epochs": 2.0}, "steps 5 and epochs 2 both say how long; remove one"),
        ({"name": "a/b"}, "'a/b' is not the name of one folder; write a path as dir instead"),
        ({"name": ".."}, "'..' is not the name of one folder; write a path as dir instead"),
    ],
)
def test_rules(values, text):
    with pytest.raises(ValidationError) as caught:
        RunSettings(**values)
    assert [error["msg"] for error in caught.value.errors()] == [text]
