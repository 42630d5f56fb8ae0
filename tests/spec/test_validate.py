import re

from hypothesis import given
from hypothesis import strategies as st

from gpocli.errors import SpecError
from gpocli.spec.layer import Layer
from gpocli.spec.load import load_spec

NAMES = [
    "algorithm", "type", "keep", "group_size", "filters", "model", "lora", "target_modules", "name", "rewards",
    "weight", "options", "run", "steps", "epochs", "trackers", "trl", "learning_rate", "loss_type", "zebra", "optim",
    "data", "columns", "dtype", "quantization", "sampling", "batch", "0",
]  # fmt: skip
leaves = st.sampled_from(["gfpo", "gmpo", "length", "no", "", "4bit", "\f", None, True, 0, 3, -1.5, 1e300])
junk = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(NAMES), junk, max_size=4))
def test_whatever_a_spec_holds_it_is_sound_or_every_fault_has_a_place_and_a_cure(data):
    try:
        load_spec([], base=[Layer("junk", data)])
    except SpecError as error:
        lines = str(error).splitlines()
        assert lines
        for line in lines:
            assert re.fullmatch(r"junk: [\w.]+: [^;]+; [^;]+", line), line
