"""Lets KaTrain's AI players choose moves with an engine, and prints the results as JSON. Runs KaTrain's own core (its
engine, game and players) without its window. Needs the package katrain, but not Kivy, of which the core uses little.

    katrain_players.py COMMAND
"""

import json
import sys
import time
import types


def add_module(name, **contents):
    module = sys.modules[name] = types.ModuleType(name)
    module.__dict__.update(contents)


class JsonStore(dict):
    """Kivy's store of settings, without writing."""

    def __init__(self, path, **_):
        with open(path, encoding="utf-8") as file:
            super().__init__(json.load(file))


class Config:
    """Kivy's settings, which are ignored."""

    @staticmethod
    def set(*_):
        pass


add_module("kivy", Config=Config)
add_module("kivy._event", Observable=object)
add_module("kivy.storage")
add_module("kivy.storage.jsonstore", JsonStore=JsonStore)
add_module("kivy.utils", platform="linux")

from katrain.core.ai import generate_ai_move  # noqa: E402
from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.constants import AI_STRATEGIES, OUTPUT_ERROR, OUTPUT_INFO  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, Move  # noqa: E402

VISITS = 12
OPENING = ("D4", "Q16", "Q4", "D16")


class KaTrain(KaTrainBase):
    """KaTrain with a log of errors instead of a window."""

    def __init__(self, command):
        self.errors = []
        super().__init__(force_package_config=True, debug_level=0)
        self.game = None
        settings = {"backend": "custom", "altcommand": command, "max_visits": VISITS, "allow_recovery": False}
        self.engine = KataGoEngine(self, {**self.config("engine"), **settings})

    def log(self, message, level=OUTPUT_INFO):
        if level == OUTPUT_ERROR:
            self.errors.append(str(message))

    def move_of(self, player):
        """Returns the move that a player chooses after the opening moves, and the errors that were logged."""
        self.errors.clear()
        self.game = Game(self, self.engine)
        for vertex in OPENING:
            self.game.play(Move.from_gtp(vertex, player=self.game.current_node.next_player))
        # As in KaTrain's window, a player moves after the analysis of the position.
        while not self.game.current_node.analysis_complete:
            if not self.engine.check_alive():
                raise RuntimeError("the engine has exited")
            time.sleep(0.01)
        settings = self.config(f"ai/{player}")
        move, _ = generate_ai_move(self.game, player, settings)
        return {"move": move.gtp(), "errors": list(self.errors), "queries": self.engine.query_counter}


def main():
    katrain = KaTrain(sys.argv[1])
    print(json.dumps({player: katrain.move_of(player) for player in AI_STRATEGIES}))
    katrain.engine.shutdown(finish=None)


if __name__ == "__main__":
    main()
