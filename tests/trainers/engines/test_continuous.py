"""When continuous batching samples."""

from gpocli.trainers.engines import continuous


def test_it_samples_only_where_it_is_asked_for(gfpo):
    assert continuous.why_not(gfpo()) == "use_transformers_continuous_batching does not ask for it"
    assert continuous.why_not(gfpo(use_transformers_continuous_batching=True)) is None
