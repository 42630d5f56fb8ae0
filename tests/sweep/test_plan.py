"""Planning a sweep: one sound spec a point, all faults at once, and the specs that it began with."""

from pathlib import Path

import pytest

from gpocli.errors import SpecError
from gpocli.spec.load import load_spec
from gpocli.sweep.plan import write_specs


def test_each_point_has_its_values_seed_and_folder(plan):
    planned = plan("optim.learning_rate=1e-6,3e-6", seeds=2)
    assert [(one.spec.optim.learning_rate, one.spec.run.seed) for one in planned] == [
        (1e-6, 0),
        (1e-6, 1),
        (3e-6, 0),
        (3e-6, 1),
    ]
    assert planned[0].spec.run.dir == "sweeps/s/learning_rate-1e-6_seed-0"
    assert planned[0].folder == Path("sweeps/s")


def test_seeds_begin_at_that_of_the_spec_and_out_names_the_folder_of_all(plan):
    planned = plan(seeds=2, text="run: {seed: 5}\n", out="there")
    assert [one.spec.run.dir for one in planned] == ["there/seed-5", "there/seed-6"]


def test_nothing_is_written_before_all_are_sound(plan, tmp_path):
    with pytest.raises(SpecError, match="'x' is text; write a number"):
        plan("optim.learning_rate=1e-6,x")
    assert not (tmp_path / "sweeps").exists()


def test_a_fault_of_every_point_is_told_once(plan):
    with pytest.raises(SpecError) as caught:
        plan("optim.learning_rate=1e-6,3e-6", text="rewards: [acuracy]\n")
    assert str(caught.value).count("acuracy") == 1


def test_a_fault_of_some_points_names_one(plan):
    with pytest.raises(SpecError) as caught:
        plan("algorithm.keep=2,9", text="algorithm: {type: gfpo, group_size: 4}\n")
    assert "keep-9" in str(caught.value) or "--grid algorithm.keep=9" in str(caught.value)


def test_written_specs_load_to_the_same(plan):
    planned = plan("optim.learning_rate=1e-6,3e-6")
    write_specs(planned)
    assert load_spec([planned[1].spec_file]).spec == planned[1].spec


def test_a_sweep_goes_on_with_what_it_began_with(plan):
    write_specs(plan("optim.learning_rate=1e-6"))
    assert len(plan("optim.learning_rate=1e-6,3e-6")) == 2  # more points are no change
    with pytest.raises(SpecError, match=r"began with another spec: run\.steps was 2, is 3; write it"):
        plan("optim.learning_rate=1e-6", text="run: {steps: 3}\n")
