"""Log of a training run, and means over its steps."""

import csv
import os
import sys
import time
from pathlib import Path

from files import write_atomically

COLUMNS = ["kind", "step", "samples", "minutes", "rate", "speed", "loss", "policy", "value", "score", "ownership",
           "top1", "top5", "brier", "accuracy", "auxiliary"]


class Log:
    """`log.csv` of a run, and one line per entry on standard error."""

    def __init__(self, folder, step=0):
        """Opens the log of a run that continues from `step`."""
        path = os.path.join(folder, "log.csv")
        drop_later(path, step)
        self._file = open(path, "a", newline="", encoding="utf-8")
        self._writer = csv.DictWriter(self._file, COLUMNS, restval="")
        if self._file.tell() == 0:
            self._writer.writeheader()
            # Written immediately, so that a run killed before its first entry leaves a valid log.
            self._file.flush()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self._file.close()

    def write(self, kind, trainer, measures, speed=None):
        """Writes one entry."""
        row = {"kind": kind, "step": trainer.step, "samples": trainer.samples, "minutes": f"{trainer.minutes():.2f}",
               "rate": f"{trainer.rate():.4f}", **{name: f"{value:.5f}" for name, value in measures.items()}}
        if speed is not None:
            row["speed"] = f"{speed:.0f}"
        self._writer.writerow(row)
        self._file.flush()
        print(" ".join(f"{name} {row[name]}" for name in COLUMNS if name in row), file=sys.stderr, flush=True)


class Window:
    """Means of the loss terms, and the speed, since the last log entry."""

    def __init__(self):
        self._sums, self._counts, self._samples, self._start = {}, {}, 0, time.monotonic()

    def add(self, terms, n):
        """Adds one step with `n` samples; not all steps have all terms."""
        for name, term in terms.items():
            self._sums[name] = self._sums.get(name, 0.0) + term
            self._counts[name] = self._counts.get(name, 0) + 1
        self._samples += n

    def result(self):
        """Returns the means by name, and samples per second."""
        means = {name: float(amount) / self._counts[name] for name, amount in self._sums.items()}
        return means, self._samples / max(time.monotonic() - self._start, 1e-6)


def drop_later(path, step):
    """Removes an incomplete line (full disk or crash) and the rows of later steps, which will be repeated."""
    if not os.path.exists(path):
        return
    lines = Path(path).read_bytes().splitlines(keepends=True)

    def stays(line):
        number = line.split(b",")[1:2]
        return line.endswith(b"\n") and not (number and number[0].isdigit() and int(number[0]) > step)

    kept = [line for line in lines if stays(line)]
    if kept != lines:
        write_atomically(path, lambda partial: Path(partial).write_bytes(b"".join(kept)))
