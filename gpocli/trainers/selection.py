"""Which candidates of a scored generation batch are trained on."""

from collections.abc import Callable, Sequence

from gpocli.contracts.filter import GroupFilter, mean_rewards, select
from gpocli.contracts.filter_call import filter_call
from gpocli.trainers.generation_batch import Scored, Selection


def select_candidates(
    batch: Scored,
    group_filter: GroupFilter,
    keep: int,
    reward_names: Sequence[str],
    trainer_state: object,
    gather_means: Callable[[list[float]], list[float]],
) -> Selection:
    """Score the candidates of each group and choose the `keep` highest; lost ones are not eligible.

    `gather_means` turns the mean rewards of this process's groups into those of all processes. A score that the race
    asked for stands: a filter that races promises that it depends on the candidate alone.
    """
    lost, scores = batch.rollout.lost, dict(batch.rollout.scores)
    eligible = [[i for i in group if not lost[i]] for group in batch.groups]
    call = filter_call([[batch.candidate(i, reward_names) for i in group] for group in eligible], trainer_state)
    if any(i not in scores for group in eligible for i in group):
        scores_PG = group_filter.score(call.completions, call.rewards, **call.keywords)
        for group, scores_G in zip(eligible, scores_PG, strict=True):
            scores = dict(zip(group, scores_G, strict=True)) | scores
    counts = [keep] * len(eligible)
    if group_filter.adaptive and call.rewards is not None:
        means = gather_means(mean_rewards(call.rewards))
        counts = group_filter.keep_counts(keep, call.rewards, all_mean_rewards=means, **call.keywords)

    kept: list[int] = []
    surplus: list[int] = []
    for group, count in zip(eligible, counts, strict=True):
        scores_G = [scores[i] for i in group]
        trained = {group[position] for position in select(scores_G, count)}
        for position in select(scores_G, keep):
            if group[position] not in trained:
                surplus.append(len(kept))
            kept.append(group[position])
    return Selection(kept, surplus, [scores.get(i) for i in range(len(batch))])
