"""One address that misuses the service does not delay the clients of others."""

import re
import socket
import tempfile
import time
import unittest

from tests.service.service import Service

IDLE_CONNECTIONS = 256
LONG_REQUESTS = 4
MAX_DELAY_S = 2
HOSTILE_ADDRESS = "127.0.0.2"
REQUESTS = 10


class Load(unittest.TestCase):
    def idle_connections(self, port):
        """Opens connections that send nothing. The service may reject some of them."""
        for _ in range(IDLE_CONNECTIONS):
            try:
                yield socket.create_connection(("127.0.0.1", port), timeout=10, source_address=(HOSTILE_ADDRESS, 0))
            except OSError:
                pass

    def delays(self, service):
        """Returns how long new clients wait for a connection, a move and a stored game."""
        for number in range(REQUESTS):
            started = time.monotonic()
            client = service.client()
            moved = client.request(operator="genmove", size=9, level=3)
            self.assertIn("move", moved)
            saved = client.request(operator="saveGoban", goban=f"(;SZ[9]C[{number}])")
            self.assertTrue(saved["new"], saved)
            yield time.monotonic() - started

    def test_idle_connections_and_long_requests(self):
        for threads in (1, 2):
            with self.subTest(threads=threads), tempfile.TemporaryDirectory() as folder, \
                    Service(folder, "--threads", str(threads), "--http", "127.0.0.1:0") as service:
                # The long requests come first, because the address then has no connections left.
                hostile = service.client(HOSTILE_ADDRESS)
                for number in range(LONG_REQUESTS):
                    hostile.send(id=number, operator="run", size=19, seconds=600)
                idle = list(self.idle_connections(service.port))
                page = re.search(r"http://127\.0\.0\.1:(\d+)", service.process.stderr.readline())
                idle += self.idle_connections(int(page.group(1)))
                delays = list(self.delays(service))
                print(f"{threads} threads: {max(delays):.2f} s at most,", end=" ")
                self.assertLess(max(delays), MAX_DELAY_S)
                for connection in idle:
                    connection.close()
