"""The environments that are measured: the project's own, and one with the last TRL that had a GFPO trainer."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
LAST_TRL_WITH_GFPO = "1.7.1"


def own_python() -> str:
    """The interpreter that runs this: gpo and the TRL of constraints.txt."""
    return sys.executable


def old_trl_python() -> str:
    """The interpreter of an environment with TRL 1.7.1, made when it is first asked for."""
    folder = ROOT / ".venvs" / f"trl-{LAST_TRL_WITH_GFPO}"
    python = folder / "bin" / "python"
    if not (folder / ".installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet"]
        torch = next(line for line in (ROOT / "constraints.txt").read_text().splitlines() if line.startswith("torch=="))
        # Newer transformers do not import with this TRL, which also forgot to ask for requests.
        packages = [f"trl=={LAST_TRL_WITH_GFPO}", "transformers<5.13", "requests"]
        subprocess.run([*install, torch], check=True)
        subprocess.run([*install, *packages], check=True)
        (folder / ".installed").touch()
    return str(python)
