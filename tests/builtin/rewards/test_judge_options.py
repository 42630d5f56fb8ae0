import pytest
from pydantic import ValidationError

from gpocli.builtin.rewards.judge_options import JudgeOptions

SERVER = {"url": "http://here/v1", "model": "m"}


def test_the_defaults_work_with_a_server():
    assert JudgeOptions(**SERVER).cache == "~/.cache/gpo/judge"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": None}, "judge needs url; give the server's url"),
        ({"url": None, "model": None}, "judge needs url and model"),
        ({"url": "here:8000"}, "write it as https://host/v1"),
        ({"url": "http://me:secret@here/v1"}, "leave out user, password and query, and use key_variable"),
        ({"url": "http://here/v1?key=secret"}, "leave out user, password and query"),
        ({"template": "{prompt}"}, r"write \{completion\} where the judge is to see it"),
        ({"score": "Score: ("}, "it is no regular expression"),
        ({"score": "Score"}, "put the number in brackets"),
        ({"highest": 0.0}, "highest 0 is not more than lowest 0; give a larger one"),
        ({"concurrency": 0}, "greater than or equal to 1"),
        ({"key_variable": "sk-123"}, "should match pattern"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises(ValidationError, match=said):
        JudgeOptions(**SERVER | options)
