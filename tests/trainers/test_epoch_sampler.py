"""TRL's order of prompts, resumable in any epoch."""

from trl.trainer.utils import RepeatSampler

from gpocli.trainers.epoch_sampler import EpochRepeatSampler


def test_the_epoch_sampler_gives_trls_order_in_each_epoch():
    theirs = RepeatSampler(range(6), mini_repeat_count=2, batch_size=2, shuffle=True, seed=4)
    ours = EpochRepeatSampler(range(6), mini_repeat_count=2, batch_size=2, shuffle=True, seed=4)
    orders = [list(theirs) for _ in range(3)]
    for epoch in (2, 0, 1):
        ours.set_epoch(epoch)
        assert list(ours) == orders[epoch]


def test_the_repeat_sampler_draws_one_permutation_an_epoch():
    sampler = RepeatSampler(range(5), mini_repeat_count=1, batch_size=1, shuffle=True, seed=4)
    assert {"generator", "seed", "num_samples", "shuffle"} <= vars(sampler).keys()
