"""The rows of a generation batch are dealt to its updates in several processes as TRL deals them in one."""

import pytest
import torch
from accelerate import Accelerator
from trl.trainer.utils import shuffle_sequence_dict, split_tensor_dict

from gpocli.trainers.deal import dealt
from gpocli.trainers.processes import Processes

MICRO_STEPS = 3


def rows(numbers):
    """A generation batch in which row i has prompts and completions of i, and a width of its own."""
    return {
        "prompt_ids": torch.tensor(numbers)[:, None].repeat(1, 1 + numbers[0]),
        "completion_ids": torch.tensor(numbers)[:, None].repeat(1, 1 + numbers[-1]),
        "advantages": torch.tensor(numbers, dtype=torch.float32),
        "surplus": torch.tensor(numbers) % 2 == 0,
        "num_items_in_batch": torch.tensor(40),
    }


def of_trl(batch, seed):
    """What TRL makes of a generation batch, and the random state before."""
    torch.manual_seed(seed)
    state = torch.get_rng_state()
    return split_tensor_dict(shuffle_sequence_dict(batch), MICRO_STEPS), state


class OneOfTwo:
    """The second process of two with six rows each; `told` is how the first one ordered them all."""

    count, index = 2, 1

    def __init__(self, told):
        self.told, self.sides = told, []

    def of_first(self, order):
        return torch.tensor(self.told)

    def gather_columns(self, tensor, *, left):
        self.sides.append(left)
        assert tensor.reshape(6, -1)[:, 0].tolist() in ([6, 7, 8, 9, 10, 11], [True, False] * 3)
        return torch.cat([tensor - 6 if tensor.dtype != torch.bool else tensor, tensor])


def test_one_process_has_the_micro_batches_of_trl():
    micro_batches, state = of_trl(rows(range(6)), seed=3)
    after = torch.get_rng_state()
    again = dealt(micro_batches, state, Processes(Accelerator(cpu=True)))
    for one, other in zip(micro_batches, again, strict=True):
        assert {name: value.tolist() for name, value in one.items()} == {
            name: value.tolist() for name, value in other.items()
        }
    assert torch.equal(torch.get_rng_state(), after)


def test_a_process_takes_its_part_of_each_micro_step():
    # Of the order of all twelve rows a micro-step takes four, and the second process the last two of these.
    micro_batches, state = of_trl(rows(range(6, 12)), seed=4)
    processes = OneOfTwo([0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11])
    batches = dealt(micro_batches, state, processes)
    assert [batch["advantages"].tolist() for batch in batches] == [[1, 7], [3, 9], [5, 11]]
    assert [batch["prompt_ids"][:, 0].tolist() for batch in batches] == [[1, 7], [3, 9], [5, 11]]
    assert [batch["surplus"].tolist() for batch in batches] == [[False, False]] * 3
    assert batches[0]["num_items_in_batch"] == 40
    assert processes.sides == [False, False, True, False]  # in the order of the names: prompts fill up on the left


def test_the_first_process_goes_on_as_if_it_were_alone():
    of_trl(rows(range(12)), seed=5)
    alone = torch.get_rng_state()
    micro_batches, state = of_trl(rows(range(6)), seed=5)
    processes = OneOfTwo(list(range(12)))
    processes.index = 0
    processes.gather_columns = lambda tensor, *, left: torch.cat([tensor, tensor])
    dealt(micro_batches, state, processes)
    assert torch.equal(torch.get_rng_state(), alone)


@pytest.mark.parametrize("more", [{"pixel_values": torch.zeros(6, 3)}, {"num_images": [1] * 6}])
def test_rows_with_images_stay_in_their_process(more):
    micro_batches, state = of_trl(rows(range(6)) | more, seed=3)
    assert dealt(micro_batches, state, OneOfTwo(list(range(12)))) is micro_batches
