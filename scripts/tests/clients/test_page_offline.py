"""Tests of the page's own rules, and of the page while the service is not running."""

from tests.clients.page import PageTest

# Plays random games under each rule set and compares the positions of the page with those of the service. Boards are
# small, so that captures, suicide and repetitions are frequent. Some games are records, which may break the rules, and
# contain passes out of turn and set-ups.
COMPARED = """
(async () => {
  const { Game } = await import("/game/tree.js");
  const { positionOf } = await import("/game/positions.js");
  const { service } = await import("/service/service.js");
  const { rules } = await service.ask("version");
  let seed = 1;
  const random = (limit) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % limit;
  };
  const ordered = (position) => JSON.stringify(position && [position.board, position.color, [...position.forbidden].sort(),
    position.prisoners, position.ended, position.noResult]);
  const seen = { compared: 0, superko: 0, ko: 0, suicide: 0, occupied: 0, noResult: 0, ended: 0 };
  const names = [...rules.map(({ name }) => name), "koSIMPLEscoreAREAtaxNONEsui1"];
  for (const name of names) {
    for (let number = 0; number < GAMES; number += 1) {
      const size = [[3, 2], [4, 3], [5, 5], [2, 2], [9, 7]][number % 5];
      const game = new Game({ size, komi: 7.5, rules: name, playing: false });
      const recorded = number % 2 === 1;
      let node = game.root;
      for (let move = 0; move < MOVES; move += 1) {
        const color = recorded && random(12) === 0 ? ["black", "white"][random(2)] : game.turn(node);
        const vertex = random(14) === 0 ? "pass" : game.vertex(random(size[0]), random(size[1]));
        let child = game.branch(node, [[color, vertex]]);
        child.recorded = recorded;
        if (recorded && random(40) === 0) {
          const board = node.position?.board ?? game.matrix([]);
          child = Object.assign(game.branch(node, [["black", "pass"]]), { move: null, setUp: game.matrix([[game.vertex(random(size[0]), 0), random(3) - 1]], board), turn: "white", recorded });
        }
        let own;
        let code = null;
        try {
          own = positionOf(game, child);
        } catch (error) {
          ({ code } = error);
          own = null;
        }
        const request = game.request(child);
        const told = await service.ask("position", request).catch((error) => error);
        const warning = told.warnings?.find(({ move: at }) => at === request.moves.length && child.move);
        const expected = [told.code ?? null, ordered(told.code ? null : told), warning?.code ?? null];
        const found = [code, ordered(own), own?.warnings?.[0].code ?? null];
        if (String(expected) !== String(found)) return JSON.stringify({ name, request, expected, found });
        seen.compared += 1;
        const reason = code ?? warning?.code;
        if (reason) seen[reason] += 1;
        if (!own) continue;
        seen.noResult += own.noResult;
        seen.ended += own.ended;
        child.position = own;
        node.children.push(child);
        node = child;
      }
    }
  }
  return seen;
})()
"""


class OfflineTest(PageTest):
    def test_positions_equal_those_of_the_service(self):
        with self.open() as page:
            seen = page.value(COMPARED.replace("GAMES", "5").replace("MOVES", "70"))
            self.assertIsInstance(seen, dict, seen)
            self.assertGreater(seen.pop("compared"), 4000)
            for name, count in seen.items():
                self.assertGreater(count, 3, f"{name}: {seen}")
