"""Every candidate is on disk when its generation batch is done, and reads back as it was."""

import math
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gpocli.errors import EnvironmentFault, SpecError
from gpocli.runs.records import CandidateRecord, CandidateWriter, candidate_records, read_candidates, rewind_candidates

KEPT = CandidateRecord(
    step=1,
    prompt_id="7",
    group=0,
    candidate=0,
    prompt="1+1",
    completion="2",
    tokens=[5, 2],
    length=2,
    finished=True,
    rewards={"accuracy": 1.0, "style": None},
    reward=1.0,
    filter_score=(-2.0, 0.5),
    kept=True,
    outcome="kept",
    advantage=0.5,
)
LOST = replace(
    KEPT,
    candidate=1,
    finished=False,
    rewards={},
    reward=None,
    filter_score=None,
    kept=False,
    outcome="lost",
    advantage=None,
)


def test_records_read_back_as_they_were(tmp_path):
    CandidateWriter(tmp_path)([KEPT, LOST])
    read = list(candidate_records(read_candidates(tmp_path)))
    assert read == [KEPT, replace(LOST, rewards={"accuracy": None, "style": None})]


def test_columns_are_those_promised(tmp_path):
    CandidateWriter(tmp_path)([KEPT, LOST])
    schema = pq.read_schema(tmp_path / "step-000001.parquet")
    assert schema.names == [
        *("step", "prompt_id", "group", "candidate", "prompt", "completion", "tokens", "length", "finished"),
        *("reward/accuracy", "reward/style", "reward", "filter_score", "kept", "outcome", "advantage"),
    ]
    assert schema.field("tokens").type == pa.list_(pa.int32())
    assert schema.field("reward/style").type == pa.float64()


@pytest.mark.parametrize("text", ["a\u2028b", "a\x85b", "a\0b", "👩‍👩‍👧", "\u202eabc", "a\r\nb", ""])
def test_text_reads_back_as_it_was(tmp_path, text):
    CandidateWriter(tmp_path)([replace(KEPT, prompt=text, completion=text)])
    (read,) = candidate_records(read_candidates(tmp_path))
    assert (read.prompt, read.completion) == (text, text)


def test_half_a_surrogate_pair_is_written_out(tmp_path):
    CandidateWriter(tmp_path)([replace(KEPT, completion="a\ud83d")])
    assert next(candidate_records(read_candidates(tmp_path))).completion == "a\\ud83d"


def test_nan_is_no_value(tmp_path):
    CandidateWriter(tmp_path)([replace(KEPT, prompt_id=7, reward=math.nan, advantage=math.nan)])
    (read,) = candidate_records(read_candidates(tmp_path))
    assert (read.prompt_id, read.reward, read.advantage) == ("7", None, None)


def test_steps_are_read_in_order_from_a_run_a_folder_or_a_file(tmp_path):
    folder = tmp_path / "a=b" / "candidates"
    write = CandidateWriter(folder)
    for step in (9, 10, 10, 11):
        write([replace(KEPT, step=step)])
    names = ["step-000009.parquet", "step-000010-1.parquet", "step-000010.parquet", "step-000011.parquet"]
    assert sorted(file.name for file in folder.iterdir()) == names
    for path in (folder, folder.parent):
        assert read_candidates(path)["step"].to_pylist() == [9, 10, 10, 11]
    assert read_candidates(folder / "step-000010.parquet")["step"].to_pylist() == [10]


def test_a_reward_that_comes_later_is_null_before(tmp_path):
    write = CandidateWriter(tmp_path)
    write([LOST])
    write([replace(KEPT, step=2)])
    assert read_candidates(tmp_path)["reward/accuracy"].to_pylist() == [None, 1.0]


def test_a_rewind_removes_later_steps_and_no_other_file(tmp_path):
    write = CandidateWriter(tmp_path)
    for step in (1, 2, 3):
        write([replace(KEPT, step=step)])
    (tmp_path / "mine.parquet").touch()
    rewind_candidates(tmp_path, 1)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["mine.parquet", "step-000001.parquet"]


def test_nothing_to_write_writes_nothing(tmp_path):
    CandidateWriter(tmp_path / "c")([])
    assert not (tmp_path / "c").exists()


def test_faults_are_named(tmp_path):
    with pytest.raises(SpecError) as error:
        read_candidates(tmp_path)
    assert str(error.value) == f"no recorded candidates in '{tmp_path}'; name a run directory that has some"
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentFault) as fault:
        CandidateWriter(tmp_path / "file")([KEPT])
    assert str(fault.value) == (
        f"cannot write '{tmp_path}/file/step-000001.parquet' (File exists); mend that and go on with --resume"
    )
    (tmp_path / "step-000001.parquet").write_bytes(b"half")
    with pytest.raises(SpecError, match="leave the damaged file out"):
        read_candidates(tmp_path)
