"""Real vLLM on a CPU, for the tests marked `vllm`."""

import os
import sys
from pathlib import Path

ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
    "OMP_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}
EMBEDDED = Path(__file__).parents[1] / "gpocli" / "embedded" / "model"


def gpo_environment(**more: str) -> dict[str, str]:
    """The environment of a `gpo` in a process of its own; packages beside the running Python come first on the path."""
    return os.environ | ENVIRONMENT | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"} | more
