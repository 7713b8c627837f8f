"""Replays input of clients without an installable package, byte for byte, and checks the responses they depend on.
Needs only Python's standard library.

The sequences come from gtp2ogs (OGS), kgsGtp (KGS), the CGOS client, Lizzie and KaTrain.
"""

import json
import os
import re
import tempfile
import unittest

from tests.clients.engines import HONINBO, Child

NET = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../weights/default.safetensors")
VERTEX = r"([A-HJ-T](1?\d)|pass|resign)"


class Wire(Child):
    """The engine with byte-level input and output."""

    def __init__(self, *arguments):
        super().__init__(HONINBO, *arguments)

    def send(self, sent):
        self.process.stdin.write(sent)
        self.process.stdin.flush()

    def line(self):
        line = self.process.stdout.readline()
        if not line.endswith(b"\n"):
            raise RuntimeError("the program has exited")
        return line[:-1].decode()

    def block(self):
        """Returns the lines of a GTP response, without the final empty one."""
        lines = [self.line()]
        while line := self.line():
            lines.append(line)
        return lines


def gtp(*options):
    return Wire("gtp", "--threads", "1", "--visits", "8", "--seed", "0", *options)


class Replays(unittest.TestCase):
    def converse(self, wire, ending, sequence):
        """Sends commands with the given line ending. The text of each response after its sign must match the
        pattern."""
        for command, pattern in sequence:
            wire.send(command.encode() + ending)
            answer = "\n".join(wire.block())
            self.assertRegex(answer, re.compile(rf"\A={pattern}\Z", re.DOTALL), command)

    def commands(self, wire, ending=b"\n"):
        """Returns the output of list_commands as clients read it: split at line feeds and not trimmed."""
        wire.send(b"list_commands" + ending)
        first, *rest = wire.block()
        self.assertTrue(first.startswith("= "), first)
        return [first[2:], *rest]

    def ends(self, wire, ending=b"\n"):
        wire.send(b"quit" + ending)
        self.assertEqual(wire.block(), ["= "])
        self.assertEqual(wire.process.wait(timeout=30), 0)


class Gtp2ogs(Replays):
    """Lines end in CR LF; clocks are sent before every move."""

    def test_a_game_with_a_clock_of_each_kind(self):
        with gtp() as wire:
            known = self.commands(wire, b"\r\n")
            for command in ("kata-list_time_settings", "kgs-time_settings", "time_left", "place_free_handicap"):
                self.assertIn(command, known)
            start = [
                ("kata-list_time_settings", " .*fischer-capped.*"),
                ("boardsize 19", " "),
                ("clear_board", " "),
                ("komi 7.5", " "),
                ("play black d4", " "),
                ("play white q16", " "),
            ]
            self.converse(wire, b"\r\n", start)
            clocks = [
                ["kata-time_settings fischer-capped 120 30 300 -1", "time_left black 118 0", "time_left white 300 0"],
                ["kgs-time_settings byoyomi 600 30 5", "time_left black 0 5", "time_left white 30 2"],
                ["time_settings 0 20 5", "time_left black 17 4", "time_left white 20 5"],
                ["time_settings 0 10 1", "time_left black 10 1", "time_left white 10 1"],
                ["time_settings 600 0 0", "time_left black 599 0", "time_left white 600 0"],
                ["kgs-time_settings none"],
                ["time_settings 0 1 0"],
            ]
            for turn, told in enumerate(clocks):
                color = ("black", "white")[turn % 2]
                self.converse(wire, b"\r\n", [(command, " ") for command in told])
                self.converse(wire, b"\r\n", [(f"genmove {color}", " " + VERTEX)])
            self.ends(wire, b"\r\n")

    def test_handicap_and_rectangular_boards(self):
        with gtp() as wire:
            self.converse(wire, b"\r\n", [
                ("boardsize 13", " "), ("clear_board", " "), ("komi 0.5", " "),
                ("place_free_handicap 3", rf" {VERTEX} {VERTEX} {VERTEX}"), ("genmove white", " " + VERTEX),
                ("boardsize 9 7", " "), ("clear_board", " "), ("komi 5.5", " "),
                ("set_free_handicap c3 g5", " "), ("play white pass", " "), ("genmove black", " " + VERTEX),
                ("showboard", ".*"),
            ])
            self.ends(wire, b"\r\n")


class KgsGtp(Replays):
    def test_a_game_that_is_resumed_and_cleaned_up(self):
        with gtp() as wire:
            known = self.commands(wire)
            # kgsGtp crashes if a program lists this command.
            self.assertNotIn("kgs-chat", known)
            for command in ("kgs-genmove_cleanup", "kgs-rules", "kgs-game_over", "kgs-time_settings", "final_status_list"):
                self.assertIn(command, known)
            self.converse(wire, b"\n", [
                ("name", " Honinbo"), ("version", r" \S+"), ("kgs-rules japanese", " "), ("boardsize 9", " "),
                ("komi 6.5", " "), ("clear_board", " "), ("kgs-time_settings byoyomi 60 10 3", " "),
                ("play b e5", " "), ("time_left b 60 0", " "), ("time_left w 60 0", " "), ("genmove w", " " + VERTEX),
                ("undo", " "), ("play w c3", " "), ("play b PASS", " "), ("play w PASS", " "),
                ("final_status_list dead", rf" ({VERTEX}[ \n]?)*"), ("kgs-genmove_cleanup b", " " + VERTEX),
                ("kgs-game_over", " "), ("final_score", r" ([BW]\+[\d.]+|0)"),
                ("boardsize 19", " "), ("clear_board", " "), ("place_free_handicap 2", rf" {VERTEX} {VERTEX}"),
                ("kgs-time_settings canadian 60 300 25", " "), ("time_left w 200 20", " "), ("genmove w", " " + VERTEX),
            ])
            self.ends(wire)


class Cgos(Replays):
    def test_a_game_as_the_server_has_it(self):
        with gtp("--rules", "cgos") as wire:
            self.assertIn("cgos-genmove_analyze", self.commands(wire))
            self.converse(wire, b"\n", [
                ("boardsize 9", " "), ("clear_board", " "), ("komi 7.0", " "), ("time_settings 300 0 0", " "),
                ("play b e5", " "), ("time_left w 299 0", " "),
            ])
            wire.send(b"cgos-genmove_analyze w\n")
            first, told, played = wire.block()
            self.assertEqual(first, "=")
            told = json.loads(told)
            self.assertEqual(len(told["ownership"]), 81)
            self.assertTrue({"winrate", "score", "visits", "moves"} <= told.keys())
            self.assertRegex(played, rf"\Aplay {VERTEX}\Z")
            self.converse(wire, b"\n", [("time_left b 290 0", " "), ("genmove b", " " + VERTEX), ("cgos-gameover W+Resign", ".*")])
            self.ends(wire)


class Lizzie(Replays):
    """Every command has a number; the next command ends an analysis."""

    def test_a_move_and_analyses(self):
        with gtp("--name", "KataGo") as wire:
            self.converse(wire, b"\n", [
                ("0 name", "0 KataGo"), ("1 version", r"1 \S+"), ("2 boardsize 19", "2 "), ("3 komi 7.5", "3 "),
                ("4 play b Q16", "4 "), ("5 time_settings 0 5 1", "5 "), ("6 genmove w", "6 " + VERTEX),
                ("7 undo", "7 "),
            ])
            for number in (8, 10):
                wire.send(f"{number} kata-analyze 10 ownership true\n".encode())
                self.assertEqual(wire.line(), f"={number}")
                for block in wire.line().split(" ownership ")[0].split("info ")[1:]:
                    self.assertRegex(block, rf"\Amove {VERTEX} visits \d+ .*winrate [\d.]+ .* pv {VERTEX}( {VERTEX})* ?\Z")
                wire.send(f"{number + 1} play w D4\n".encode() if number == 8 else b"11 undo\n")
                while wire.line():
                    pass
                self.assertEqual(wire.block(), [f"={number + 1} "])
            self.ends(wire)


class KaTrain(unittest.TestCase):
    """KataGo's JSON protocol as used by KaTrain."""

    CONFIG = "# KaTrain's\nlogDir = logs\nlogAllRequests = false\nmaxVisits = 500\nnumAnalysisThreads = 2\nnnMaxBatchSize = 96\n"

    def query(self, number, **fields):
        moves = [["B", "Q16"], ["W", "D4"], ["B", "pass"]]
        return {"id": f"QUERY:{number}", "rules": "japanese", "priority": 0, "analyzeTurns": [len(moves)], "maxVisits": 12,
                "komi": 6.5, "boardXSize": 19, "boardYSize": 19, "includeOwnership": True, "includeMovesOwnership": True,
                "includePolicy": True, "initialStones": [["B", "K10"]], "initialPlayer": "B", "moves": moves,
                "overrideSettings": {"reportAnalysisWinratesAs": "BLACK", "maxTime": 8.0, "wideRootNoise": 0.04}, **fields}

    def test_a_session(self):
        with tempfile.TemporaryDirectory() as folder:
            config = os.path.join(folder, "analysis_config.cfg")
            with open(config, "w", encoding="utf-8") as file:
                file.write(self.CONFIG)
            with Wire("analysis", "-model", NET, "-config", config, "-override-config", f"homeDataDir={folder}") as wire:
                self.converse(wire)
                wire.process.stdin.close()
                self.assertEqual(wire.process.wait(timeout=60), 0)
                wire.process.stdin = open(os.devnull, "wb")

    def converse(self, wire):
        def ask(query):
            wire.send(json.dumps(query).encode() + b"\n")

        ask({"id": "VERSION", "action": "query_version"})
        self.assertEqual({"id", "action", "version", "git_hash"}, json.loads(wire.line()).keys())
        ask(self.query(1))
        ask(self.query(2, analyzeTurns=[0], includeMovesOwnership=False,
                       avoidMoves=[{"moves": ["D4", "pass"], "player": "B", "untilDepth": 1}]))
        ask(self.query(3, moves=[["B", "Q16"], ["W", "Q16"]], analyzeTurns=[2]))
        told = {}
        while len(told) < 3:
            answer = json.loads(wire.line())
            self.assertNotIn("warning", answer)
            if not answer.get("isDuringSearch"):
                told[answer["id"]] = answer
        self.assertIn("Illegal move", told.pop("QUERY:3")["error"])
        for answer in told.values():
            self.analysis(answer)
        first, second = told["QUERY:1"], told["QUERY:2"]
        self.assertEqual((first["turnNumber"], second["turnNumber"]), (3, 0))
        self.assertTrue(all(len(move["ownership"]) == 361 for move in first["moveInfos"]))
        self.assertFalse({"D4", "pass"} & {move["move"] for move in second["moveInfos"]})
        # An endless analysis with reports, which is then terminated.
        ask(self.query(4, maxVisits=100000000, reportDuringSearchEvery=0.1, overrideSettings={"maxTime": 1000.0}))
        self.assertTrue(json.loads(wire.line())["isDuringSearch"])
        ask({"id": "TERMINATE", "action": "terminate", "terminateId": "QUERY:4"})
        ended = set()
        while ended != {"QUERY:4", "TERMINATE"}:
            answer = json.loads(wire.line())
            if not answer.get("isDuringSearch"):
                ended.add(answer["id"])

    def analysis(self, answer):
        self.assertEqual((len(answer["policy"]), len(answer["ownership"])), (362, 361))
        root = answer["rootInfo"]
        self.assertTrue({"winrate", "scoreLead", "visits"} <= root.keys())
        self.assertGreaterEqual(root["visits"], 12)
        for order, move in enumerate(answer["moveInfos"]):
            self.assertEqual(move["order"], order)
            self.assertEqual(move["pv"][0], move["move"])
            self.assertTrue({"visits", "winrate", "scoreLead", "prior", "lcb", "utility"} <= move.keys())
            self.assertTrue(0 <= move["winrate"] <= 1)
