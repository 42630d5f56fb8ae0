"""Another model than the embedded one with what was made for that one alone: its data, and a rate that ruins others."""

from gpocli.checks.findings import Findings
from gpocli.embedded import EMBEDDED, MODEL_PATH, model_folder
from gpocli.spec.load import Draft
from gpocli.spec.sources import embedded_layer
from gpocli.spec.wording import number

_OWN_RATE = 1e-6  # the default for other models
_NO_DATA = (
    "no data is named to train '{}' on; name some, as in --data rows.jsonl, or data: {{source: rows.jsonl}} in a spec "
    "(--data embedded for the sums of the demo)"
)


def check_demo(findings: Findings) -> None:
    """Find a model of the user's for which no data is named, and note what of the demo's it is given by name."""
    if not findings.are_sound("model.name") or _is_embedded(findings.draft):
        return
    if names_no_data(findings.draft):
        # A name that is wrong may have meant the embedded model, and so may a preset of another algorithm.
        if not any(fault.key in ("model.name", "") for fault in findings.faults):
            findings.add("data.source", _NO_DATA.format(findings.spec.model.name), at="model.name")
    elif findings.are_sound("data.source") and findings.spec.data.source == EMBEDDED:
        findings.notes.append(f"'{findings.spec.model.name}' trains on the sums of the demo, as data.source says")
    if findings.are_sound("optim.learning_rate", "model.lora"):
        _note_rate(findings)


def names_no_data(draft: Draft) -> bool:
    """Whether a run of another model than the embedded one says nothing of data, and so has those of the demo."""
    return draft.is_sound("model.name", "data.source") and not _is_embedded(draft) and "data.source" not in draft.places


def _is_embedded(draft: Draft) -> bool:
    return draft.spec is not None and model_folder(draft.spec.model.name) == MODEL_PATH


def _note_rate(findings: Findings) -> None:
    """A spec that a run of the demo has left holds the rate of the demo, which nobody chose for another model."""
    rate = findings.spec.optim.learning_rate
    if findings.spec.model.lora is None and rate == embedded_layer().data["optim"]["learning_rate"]:
        place = findings.draft.place_of("optim.learning_rate")
        findings.notes.append(
            f"{place}: optim.learning_rate: {number(rate)} is the rate of the embedded model, "
            f"{rate / _OWN_RATE:.0f} times what others start with; write {number(_OWN_RATE)} or so, and look at "
            "sampling, batch and run as well if they are the demo's"
        )
