"""Options of TRL that one of its losses reads and the others do not."""

REASON = "it belongs to another loss, so leave it out"

OF_SAPO = dict.fromkeys(("sapo_temperature_neg", "sapo_temperature_pos"), REASON)
OF_VESPO = dict.fromkeys(("vespo_k_neg", "vespo_k_pos", "vespo_lambda_neg", "vespo_lambda_pos"), REASON)

UNREAD = OF_SAPO | OF_VESPO
"""Without effect on a loss that clips ratios on both sides."""
