"""Without mathematics of its own an algorithm has the parent's loss."""

from gpocli.trainers.objective import Objective


def test_nothing_differs():
    objective, inputs = Objective(), {"advantages": [1.0]}
    assert objective.arranged(None, [inputs]) == [inputs]
    assert objective.seen((1, 2, 3)) == (1, 2, 3)
    assert objective.loss(None, lambda given: given, inputs) is inputs
