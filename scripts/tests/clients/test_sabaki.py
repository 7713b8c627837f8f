"""Test with Sabaki's npm library. Sabaki's window is not tested: it needs the binaries of Electron, which no package
registry has."""

import os
import subprocess
import tempfile
import unittest

from tests.clients.engines import HONINBO


class WithSabaki(unittest.TestCase):
    PACKAGE = "@sabaki/gtp@3.0.0"

    def test_positions_analyses_and_moves(self):
        """Uses Sabaki's library: pipelined commands, an interrupted analysis, moves, other boards."""
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", "--prefix", folder, self.PACKAGE],
                           check=True, timeout=300)
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sabaki.js")
            result = subprocess.run(["node", script, os.path.abspath(HONINBO), "gtp", "--threads", "1", "--visits", "16"],
                                    env={**os.environ, "NODE_PATH": os.path.join(folder, "node_modules")},
                                    capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual((result.returncode, result.stdout), (0, "ok\n"), result.stderr)
