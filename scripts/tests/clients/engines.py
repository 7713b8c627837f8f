"""The engine and GNU Go as child processes with GTP."""

import os
import re
import subprocess

# The program under test.
HONINBO = os.environ.get("HONINBO", "target/release/honinbo")


class Child:
    """A child process with pipes for input and output, ended with its `with` block."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Gtp(Child):
    """A GTP program as a child process."""

    def __init__(self, *command):
        super().__init__(*command, text=True, bufsize=1)

    def send(self, command):
        """Sends a command and returns the text of the response. Raises RuntimeError if the command fails."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise RuntimeError(f"{command}: the program has exited")
            if not line.strip():
                break
            lines.append(line.rstrip("\n"))
        answer = "\n".join(lines)
        if not answer.startswith("="):
            raise RuntimeError(f"{command}: {answer}")
        return answer[1:].strip()


def honinbo(*options):
    return Gtp(HONINBO, "gtp", "--threads", "1", "--seed", "0", *options)


def gnugo(*options):
    return Gtp("gnugo", "--mode", "gtp", "--level", "1", "--seed", "1", *options)


def stones(board):
    """Returns the points of a `showboard` diagram as rows of `.`, `X` and `O`."""
    rows = []
    for line in board.splitlines():
        # The last move may be in brackets, even at the edge.
        match = re.match(r"\s*(\d+)([ (].*?[ )])\s*\1\b", line)
        if match:
            rows.append(re.sub(r"[^.+XO]", "", match.group(2)).replace("+", "."))
    return rows
