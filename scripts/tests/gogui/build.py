"""The build of GoGui that the environment variable GOGUI names."""

import csv
import os
import subprocess

from tests.clients.engines import HONINBO

FOLDER = os.path.abspath(os.environ.get("GOGUI", "gogui"))
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))


def engine(*options):
    """Returns a command line of the engine with reproducible moves, as text. The engine runs in the root of the project,
    because gogui-regress starts it in the folder of the regression file."""
    return " ".join(["env", "-C", ROOT, os.path.abspath(HONINBO), "gtp", "--threads", "1", "--seed", "1", *options])


def run(tool, *arguments, timeout=1800):
    """Runs one of GoGui's tools and returns the finished process."""
    return subprocess.run([os.path.join(FOLDER, "bin", tool), *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)


def table(path):
    """Returns the rows of a table of GoGui's tools as dictionaries. The last comment line has the column names."""
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
    header = [line for line in lines if line.startswith("#")][-1]
    rows = [line for line in lines if line and not line.startswith("#")]
    return list(csv.DictReader([header[1:], *rows], delimiter="\t", quoting=csv.QUOTE_NONE))
