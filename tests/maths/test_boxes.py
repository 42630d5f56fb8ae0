import pytest

from gpocli.maths.boxes import last_box


@pytest.mark.parametrize(
    ("text", "content"),
    [
        (r"\boxed{5}", "5"),
        (r"\fbox{5}", "5"),
        (r"\boxed 5.", "5"),
        (r"-\boxed{5}", "-5"),
        (r"$x = -\boxed{5}$", "-5"),
        (r"it is - \boxed{5}", "-5"),
        (r"= -\boxed{3+4}", "-(3+4)"),
        (r"= -\boxed{-7}", "-(-7)"),
        ("so:\n- \\boxed{5}", "5"),
        (r"- \boxed{5}", "5"),
        (r"$3 - \boxed{5}$", "5"),
        (r"$x -\boxed{5}$", "5"),
        (r"\boxed{5} and \boxed{6", "5"),
        (r"\boxed{\boxed{5}}", "5"),
        ("none", None),
    ],
)
def test_the_last_box_has_its_sign(text, content):
    assert last_box(text) == content
