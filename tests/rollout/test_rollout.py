"""What goes into sampling and what comes out."""

import torch

from gpocli.rollout import Rollout, SamplingRequest, SamplingSettings, sample_groups

SETTINGS = SamplingSettings(max_new_tokens=3, eos_token_ids=(1,), pad_token_id=0)


def test_the_board_of_a_request_has_a_row_for_each_completion():
    board = SamplingRequest([[5], [6]], 3, SETTINGS, seed=0).board()
    assert board.num_running == 6


def test_a_rollout_is_what_stands_on_the_board():
    board = SamplingRequest([[5]], 2, SETTINGS, seed=0).board()
    board.advance([0, 1], [1, 7])
    rollout = Rollout.of(board, decode_steps=1, decoded_tokens=2)
    assert (rollout.completion_ids, rollout.finished, rollout.lost) == ([[1], [7]], [True, False], [False, False])
    assert (rollout.logps, rollout.decode_steps, rollout.decoded_tokens) == (None, 1, 2)


def test_log_probabilities_are_those_of_a_whole_pass_over_prompt_and_completion(make_model):
    model = make_model()
    settings = SamplingSettings(max_new_tokens=12, eos_token_ids=(1, 2), pad_token_id=0, temperature=0.7)
    prompts = [[5, 6, 7], [8]]
    rollout = sample_groups(model, SamplingRequest(prompts, 3, settings, seed=4))
    for row, (ids, logps) in enumerate(zip(rollout.completion_ids, rollout.logps, strict=True)):
        prompt = prompts[row // 3]
        with torch.no_grad():
            logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1] / 0.7
        expected = logits.double().log_softmax(-1).gather(1, torch.tensor(ids).unsqueeze(1)).squeeze(1)
        # float32 passes of other widths: a few roundings of logits of size 10
        torch.testing.assert_close(torch.tensor(logps, dtype=torch.float64), expected, rtol=1e-4, atol=1e-4)
