"""Stored games: every acknowledged save exists, whatever happens, or an error was reported."""

import contextlib
import os
import random
import tempfile
import threading
import time
import unittest

from tests.service.service import Service

OPTIONS = ("--evaluator", "uniform", "--threads", "1")
KILLS = 12
WRITERS = 4


def game(number, size=0):
    """Returns a game with a comment of this size."""
    return f"(;SZ[9]C[{number} {'x' * size}];B[ee])"


def code(response):
    """Returns the code of an error, or None."""
    return response.get("error", {}).get("code")


class Store(unittest.TestCase):
    def save_until_killed(self, service, first, acknowledged):
        """Saves games until the connection ends. Adds the acknowledged games to a dictionary."""
        with contextlib.suppress(OSError):
            client = service.client()
            for number in range(first, first + 1_000_000):
                text = game(number, size=number % 5000)
                acknowledged[client.request(operator="saveGoban", goban=text)["gobanId"]] = text

    def assert_stored(self, service, acknowledged):
        client = service.client()
        for number, text in acknowledged.items():
            self.assertEqual(client.request(operator="loadGoban", gobanId=number).get("goban"), text)

    def test_kill_during_saves(self):
        acknowledged = {}
        rng = random.Random(1)
        with tempfile.TemporaryDirectory() as folder:
            for kill in range(KILLS):
                with Service(folder, *OPTIONS) as service:
                    self.assert_stored(service, acknowledged)
                    saved = len(acknowledged)
                    firsts = [(kill * WRITERS + writer) * 1_000_000 for writer in range(WRITERS)]
                    writers = [threading.Thread(target=self.save_until_killed, args=(service, first, acknowledged))
                               for first in firsts]
                    for writer in writers:
                        writer.start()
                    while len(acknowledged) < saved + WRITERS:
                        time.sleep(0.001)
                    time.sleep(rng.uniform(0, 0.3))
                    service.kill()
                    for writer in writers:
                        writer.join()
            with Service(folder, *OPTIONS) as service:
                self.assert_stored(service, acknowledged)
        print(f"{KILLS} kills, {len(acknowledged)} acknowledged games,", end=" ")

    def test_full_disk(self):
        acknowledged = {}
        with tempfile.TemporaryDirectory() as folder:
            # The service needs the disk space of its tables and of a reserve for deleting games.
            mount = f"mount -t tmpfs -o size=900k tmpfs {folder}"
            with Service(folder, *OPTIONS, prepare=mount, restarts=True) as service:
                client = service.client()
                errors = []
                for number in range(200):
                    text = game(number, size=20_000)
                    response = client.request(operator="saveGoban", goban=text)
                    if code(response) is None:
                        acknowledged[response["gobanId"]] = text
                    else:
                        errors.append(code(response))
                self.assertEqual(set(errors), {"storeFull"})
                self.assert_stored(service, acknowledged)
                service.kill()
                service.wait_until_ready()
                self.assert_stored(service, acknowledged)
                client = service.client()
                # Deleted games make room for others.
                while (error := code(client.request(operator="saveGoban", goban=game(-1)))) is not None:
                    self.assertEqual(error, "storeFull")
                    self.assertTrue(acknowledged)
                    number, _ = acknowledged.popitem()
                    self.assertEqual(client.request(operator="deleteGoban", gobanId=number), {"deleted": number})
                self.assert_stored(service, acknowledged)
        print(f"{len(acknowledged)} games, {len(errors)} errors,", end=" ")

    def test_deleted_database(self):
        acknowledged = {}
        with tempfile.TemporaryDirectory() as folder, Service(folder, *OPTIONS) as service:
            client = service.client()
            for number in range(20):
                text = game(number)
                acknowledged[client.request(operator="saveGoban", goban=text)["gobanId"]] = text
            for name in os.listdir(folder):
                os.remove(os.path.join(folder, name))
            for number in range(100, 120):
                self.assertEqual(code(client.request(operator="saveGoban", goban=game(number))), "storeMissing")
            self.assertEqual(code(client.request(operator="deleteGoban", gobanId=1)), "storeMissing")
            # Reading continues, so that the games can be exported.
            self.assert_stored(service, acknowledged)

    def test_read_only_database(self):
        with tempfile.TemporaryDirectory() as folder:
            with Service(folder, *OPTIONS) as service:
                client = service.client()
                client.request(operator="saveGoban", goban=game(1))
                client.request(operator="saveGoban", goban=game(2))
            mount = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}"
            with Service(folder, *OPTIONS, prepare=mount) as service:
                self.assertIn("its games can only be read", service.process.stderr.readline())
                self.assert_stored(service, {1: game(1), 2: game(2)})
                client = service.client()
                self.assertEqual(len(client.request(operator="listGoban")["games"]), 2)
                for request in ({"operator": "saveGoban", "goban": game(3)}, {"operator": "deleteGoban", "gobanId": 1},
                                {"operator": "reviewGoban", "gobanId": 1, "visits": 2}):
                    self.assertEqual(code(client.request(**request)), "storeReadOnly", request)
