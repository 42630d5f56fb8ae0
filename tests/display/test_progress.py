"""What other processes than the main one tell of a run."""

from gpocli.display.progress import Progress
from gpocli.runs.activity import Activity


def test_other_processes_show_nothing(capsys):
    with Progress() as progress:
        progress.watch(Activity(), "x")
        progress.start(1, "x")
        progress.candidates([])
        progress.step(1, {"reward": 0.5})
        progress.eval({})
        progress.note("x")
        progress.interrupted()
        progress.finish(None)
    assert capsys.readouterr() == ("", "")
