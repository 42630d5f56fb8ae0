"""A run is removed whole, and never while it goes on."""

import shutil

from gpocli.errors import EnvironmentFault
from gpocli.runs.directory import RunDirectory
from gpocli.runs.run import Run


def remove_run(run: Run) -> None:
    """Claim a run, so that nobody resumes it meanwhile, and remove it. Raises SpecError where it is going on.

    A link to a run is taken away, and not what it leads to. Raises EnvironmentFault for what cannot be removed.
    """
    claimed = RunDirectory.claim(run.path)
    try:
        if run.path.is_symlink():
            run.path.unlink()
        else:
            shutil.rmtree(run.path)
    except OSError as error:
        raise EnvironmentFault(f"cannot remove '{run.path}' ({error.strerror}); remove the rest by hand") from error
    finally:
        claimed.close()
