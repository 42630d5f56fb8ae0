"""Another engine is one more module in the table, and no branch anywhere."""

from types import SimpleNamespace

from gpocli.rollout import Rollout
from gpocli.trainers import sampler


def test_a_third_engine_samples_once_it_is_in_the_table(gfpo, monkeypatch):
    asked = []

    def sample(trainer, request, parent):
        asked.append((len(request.prompts_P), request.group_size))
        rows = len(request.prompts_P) * request.group_size
        return Rollout([[3 + row % 4, 1] for row in range(rows)], [True] * rows, [False] * rows)

    can = {"why_not": lambda trainer: None, "why_not_this": lambda trainer, request: None}
    mine = SimpleNamespace(**can, sample=sample)
    monkeypatch.setattr(sampler, "ENGINES", (mine, *sampler.ENGINES))
    trainer = gfpo(max_steps=1)
    records = []
    trainer.on_candidates = records.extend
    trainer.train()
    assert asked == [(4, 4)]
    assert {tuple(record.tokens) for record in records} == {(3, 1), (4, 1), (5, 1), (6, 1)}
