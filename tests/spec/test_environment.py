"""Variables that set values of a spec."""

from gpocli.spec.environment import environment_texts


def test_parts_stand_between_two_underscores_in_lower_case():
    variables = {"GPO__REWARDS__0__WEIGHT": "2", "GPO__OPTIM__LEARNING_RATE": "1e-6", "GPO_DEBUG": "1", "PATH": "/bin"}
    assert list(environment_texts(variables)) == [
        ("GPO__OPTIM__LEARNING_RATE", "optim.learning_rate", "1e-6"),
        ("GPO__REWARDS__0__WEIGHT", "rewards.0.weight", "2"),
    ]
