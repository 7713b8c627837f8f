"""GoGui's window: attaches the engine, plays moves, and runs all analyze commands of the engine."""

import contextlib
import os
import re
import subprocess
import tempfile
import unittest

from tests.clients.engines import honinbo
from tests.gogui import build


@contextlib.contextmanager
def display():
    """Starts an X server without a screen and returns the name of its display."""
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    with server:
        try:
            yield ":" + server.stdout.readline().strip()
        finally:
            server.terminate()


class Window(unittest.TestCase):
    def test_moves_and_analyze_commands(self):
        with honinbo() as engine:
            commands = engine.send("gogui-analyze_commands")
        program = os.path.join(os.path.dirname(__file__), "GoGuiWindow.java")
        with tempfile.TemporaryDirectory() as home, display() as name:
            pictures = os.environ.get("HONINBO_PICTURES") or home
            # GoGui stores its settings in the home folder.
            result = subprocess.run(
                ["java", f"-Duser.home={home}", "-cp", os.path.join(build.FOLDER, "lib", "gogui.jar"), program,
                 os.path.abspath(pictures), build.engine("--visits", "32"), commands],
                cwd=home, env={**os.environ, "DISPLAY": name}, stdin=subprocess.DEVNULL,
                capture_output=True, text=True, timeout=1800, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, "ok\n"), result.stderr)
        # With -verbose, GoGui writes all commands and responses to standard error.
        sent = re.findall(r"^>> (.*)$", result.stderr, re.MULTILINE)
        for line in commands.splitlines():
            command = line.split("/")[2].split(" ")[0]
            self.assertTrue(any(text.split(" ")[0] == command for text in sent), command)
        self.assertIn("honinbo-param ponderingEnabled true", sent)
        self.assertEqual(re.findall(r"^<< \?.*$", result.stderr, re.MULTILINE), [])
