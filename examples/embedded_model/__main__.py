"""Make the embedded model from nothing, in about five minutes: `python -m examples.embedded_model OUT [--seed 0]`.

`--start low`, `high` or `gives-up` makes a model with other habits, for `python -m benchmarks.learning --model OUT`.
"""

import argparse
import json
import logging
from pathlib import Path

import torch

from examples.embedded_model.make_model import Recipe, make
from examples.embedded_model.traces import STARTS

THREADS = 2
"""Fixed, because the order of floating-point sums, and so the weights, depends on it."""

parser = argparse.ArgumentParser(prog="python -m examples.embedded_model", description=__doc__)
parser.add_argument("out", type=Path, help="folder to write the model to")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--start", choices=STARTS, default="embedded")
arguments = parser.parse_args()
logging.basicConfig(level=logging.INFO, format="%(message)s")
torch.set_num_threads(THREADS)
logging.info(json.dumps(make(arguments.out, arguments.seed, Recipe(habits=STARTS[arguments.start]))["chat"]))
