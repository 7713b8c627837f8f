"""The checks in gtp-tests (`#?` with a regular expression for the response) in gogui-regress."""

import glob
import os
import re
import tempfile
import unittest

from tests.gogui import build

FILES = sorted(glob.glob(os.path.join(build.ROOT, "gtp-tests", "regress-*.gtp")))


def regress(folder, *files):
    """Runs files in gogui-regress. Returns the exit status, the counts of the summary, and the output. The counts `FAIL`
    and `PASS` are the unexpected ones; `fail` and `pass` are the expected ones."""
    engine = build.engine("--evaluator", "uniform", "--visits", "32", "--memory", "64")
    result = build.run("gogui-regress", "-long", "-output", folder, engine, *files)
    [summary] = build.table(os.path.join(folder, "summary.dat"))
    return result.returncode, {key: int(summary[key]) for key in ("FAIL", "fail", "PASS", "pass", "Error")}, result.stdout


class Regress(unittest.TestCase):
    def test_checks_pass(self):
        """All checks pass, except checks marked with a star, which are expected to fail."""
        with tempfile.TemporaryDirectory() as folder:
            status, counts, output = regress(folder, *FILES)
        surprises = [line for line in output.splitlines() if re.search("FAIL|PASS", line)]
        self.assertEqual((status, surprises, counts["Error"]), (0, [], 0))
        self.assertGreaterEqual(counts["pass"], 100)

    def test_broken_checks_fail(self):
        """In copies of the files in which the expected responses are negated, every check fails."""
        with tempfile.TemporaryDirectory() as folder:
            copies = []
            negated = 0
            for path in FILES:
                with open(path, encoding="utf-8") as file:
                    text, count = re.subn(r"^#\? \[(!?)(.*\])$", negation, file.read(), flags=re.MULTILINE)
                negated += count
                copies.append(os.path.join(folder, os.path.basename(path)))
                with open(copies[-1], "w", encoding="utf-8") as file:
                    file.write(text)
            status, counts, output = regress(os.path.join(folder, "results"), *copies)
        self.assertEqual((status, counts["FAIL"], counts["pass"]), (1, negated, 0), output)


def negation(check):
    """Returns a check that passes if and only if `check` fails; an initial exclamation mark negates a check."""
    return "#? [" + ("" if check[1] else "!") + check[2]
