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
  let seed = 3;
  const random = (limit) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % limit;
  };
  const ordered = (position) => JSON.stringify(position && [position.board, position.color, [...position.forbidden].sort(),
    position.prisoners, position.ended, position.noResult]);
  const compare = async ({ name, request, isMove, own, code }) => {
    const told = await service.ask("position", request).catch((error) => error);
    const warning = told.warnings?.find(({ move: at }) => at === request.moves.length && isMove);
    const expected = [told.code ?? null, ordered(told.code ? null : told), warning?.code ?? null];
    const found = [code, ordered(own), own?.warnings?.[0].code ?? null];
    return String(expected) === String(found) ? null : JSON.stringify({ name, request, expected, found });
  };
  const open = [];
  const seen = { compared: 0, superko: 0, ko: 0, suicide: 0, occupied: 0, noLiberties: 0, noResult: 0, ended: 0 };
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
        open.push({ name, request: game.request(child), isMove: Boolean(child.move), own, code });
        const reason = code ?? own?.warnings?.[0].code;
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
  seen.compared = open.length;
  while (open.length > 0) {
    const differences = (await Promise.all(open.splice(0, 50).map(compare))).filter(Boolean);
    if (differences.length > 0) return differences[0];
  }
  return seen;
})()
"""


class OfflineTest(PageTest):
    def test_positions_equal_those_of_the_service(self):
        with self.open() as page:
            seen = page.value(COMPARED.replace("GAMES", "10").replace("MOVES", "80"))
            self.assertIsInstance(seen, dict, seen)
            self.assertGreater(seen.pop("compared"), 10000)
            for name, count in seen.items():
                self.assertGreater(count, 0, f"{name}: {seen}")

    LOST = "document.getElementById('connection').textContent !== ''"
    SHOWN = "document.getElementById('facts').textContent"
    DISABLED = "[...document.querySelectorAll('header .tool, #controls .tool')].filter((at) => at.disabled).map((at) => at.id)"
    # Places of the parts of the page and of the buttons.
    PLACES = ("JSON.stringify([...document.querySelectorAll('header, #cards, #board, #controls, #tabs, .tool')]"
              ".map((at) => Object.values(at.getBoundingClientRect().toJSON()).map(Math.round)))")

    def disconnect(self, page):
        """Ends the service after the page has kept its files."""
        page.value("navigator.serviceWorker.ready.then(() => true)")
        self.end(self.service)
        page.until(self.LOST)

    def reconnect(self, page):
        """Starts the service again. Failed attempts to connect are the only errors that may have been logged."""
        self.start(self.address.removeprefix("http://").rstrip("/"))
        page.until(f"!({self.LOST})")
        refused = [error for error in page.errors if "WebSocket connection to" in str(error)]
        self.assertEqual(page.errors, refused)
        page.errors.clear()

    def test_opened_game_without_the_service(self):
        with self.open(width=390, height=844) as page:
            self.open_file(page, "(;SZ[9]C[About];B[ee]C[First];W[cc](;B[gg];W[cg])(;B[gc]C[Other]))")
            places = page.value(self.PLACES)
            self.disconnect(page)
            page.settle()
            self.assertEqual(page.value(self.PLACES), places)
            self.assertTrue({"open", "keep", "move", "score", "analyse"} <= set(page.value(self.DISABLED)))
            self.assertFalse({"new", "save-file", "pass", "edit"} & set(page.value(self.DISABLED)))
            page.key("a")
            self.assertNotIn("Analysis on", page.value(self.SAID))
            self.go(page, "#last", 4)
            self.assertEqual(page.value(self.STONES), 4)
            page.value("(() => { const at = document.querySelector('#slider-panel input'); at.value = 1; at.dispatchEvent(new Event('input')); })()")
            page.until(f"{self.number(1)} && {self.COMMENT} === 'First'")
            self.go(page, "#forward", 2)
            self.tab(page, "tree")
            page.press("#variations li:last-child button, #variations button:last-of-type")
            page.until(self.number(3))
            self.play(page, 6, 6, number=4)
            self.tab(page, "game")
            page.value("document.getElementById('comment').focus()")
            self.write(page, "Mine")
            page.value("document.getElementById('comment').blur()")
            self.reload(page)
            page.until(f"{self.number(4)} && {self.COMMENT} === 'Mine' && {self.STONES} === 4")
            self.go(page, "#back", 3)
            self.reconnect(page)
            page.until(f"!{self.DISABLED}.includes('analyse')")
            self.assertIn("C[Mine]", self.kept(page))

    def test_two_players_without_the_service(self):
        with self.open() as page:
            self.begin(page, seat="both")
            self.disconnect(page)
            self.reload(page)
            self.begin(page, seat="both")
            # A ko, which cannot be retaken at once.
            for number, at in enumerate(((1, 0), (2, 0), (0, 1), (3, 1), (1, 2), (2, 2), (2, 1), (1, 1)), 1):
                self.play(page, *at, number=number)
            self.assertEqual(page.value(self.STONES), 7)
            self.play(page, 2, 1)
            page.until(f"{self.SAID} === 'Ko: play elsewhere first.'")
            self.play(page, 8, 8, number=9)
            self.pass_twice(page, 10)
            page.until(f"{self.SAID}.startsWith('Both sides have passed.')")
            self.reconnect(page)
            page.until("!document.getElementById('result').hidden && document.getElementById('result-text').textContent !== ''")

    def test_engine_moves_once_the_service_is_back(self):
        with self.open() as page:
            self.begin(page, level=1)
            self.disconnect(page)
            self.play(page, 4, 4, number=1)
            self.reload(page)
            page.until(self.number(1))
            self.reconnect(page)
            page.until(self.number(2))

    def test_long_game_without_the_service(self):
        with self.open() as page:
            # A record in which a ko is retaken at once again and again.
            record = "(;SZ[9]AB[ba][ab][bc]AW[ca][db][cc][bb]PL[B]" + 2000 * ";B[cb];W[bb]" + ")"
            page.value(f"import('/game/files.js').then(({{ openText }}) => openText('{record}'))")
            page.until(f"{self.SAID}.startsWith('Game opened.')")
            self.go(page, "#last", "4,000")
            self.assertEqual(self.inside(page, "state.game.here.position.prisoners"), {"black": 2000, "white": 2000})
            shown = page.value(self.SHOWN)
            self.disconnect(page)
            self.reload(page)
            page.until(f"{self.SHOWN} === {shown!r}")
            self.go(page, "#first", 0)
            page.press("#last")
            page.until(f"{self.SHOWN} === {shown!r}")
            self.reconnect(page)
