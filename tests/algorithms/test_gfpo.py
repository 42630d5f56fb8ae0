from gpocli.algorithms.gfpo import EXTENSION, GFPOSpec


def test_its_defaults_are_8_of_24_by_length_as_in_the_paper():
    section = GFPOSpec()
    assert (section.kept, section.group_size, [one.name for one in section.chain]) == (8, 24, ["length"])
    assert (section.beta, section.entropy_coef) == (0.001, 0.001)


def test_a_filter_of_its_own_still_keeps_8():
    assert GFPOSpec.model_validate({"filters": ["random"], "group_size": 32}).keep == 8


def test_its_loss_is_divided_by_tokens_which_divisor_counts():
    assert EXTENSION.options == {"loss_type": "dapo"}


def test_without_a_choice_it_is_grpo():
    (notice,) = GFPOSpec(keep=24).notices(updates=1)
    assert notice.startswith("gfpo cannot differ from grpo here: all 24 candidates of a group are kept;")
