"""Tests of the page's own rules, and of the page while the service is not running."""

import json

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


# Correct files, which the page reads like the service.
FILES = (
    "(;GM[1]FF[4]CA[UTF-8]SZ[9]KM[6.5]RU[Japanese]PB[Ada]PW[Ben]BR[3d]DT[2026-11-21]RE[W+R]GN[One\\]two]GC[About\nit]XX[a][b]"
    ";B[bd]C[Good: \\] move]TE[1](;W[cc]N[name])(;W[]LB[aa:x][bb:1]TR[cc]AR[aa:bb]TB[aa:bc]))",
    "(;SZ[13]AB[aa][bb:cd]AW[ee]PL[W]DD[];W[tt];AE[aa]B[ab];B[pp];W[ac])",
    "(;HA[2]AB[dd][pp]SZ[19]KM[0.5]RU[chinese];W[dp]SBKV[40.5]SBKS[-2.25](;B[aa];B[bb])(;B[cc];W[dd]))",
    "(;SZ[9]AB[cc]AW[dd]GN[First]EV[Cup])\n(;SZ[5:7]PB[Eve]KM[5];B[cc])(;SZ[9])",
    "(;SZ[9]RU[AGA])", "(;SZ[9]RU[korean])", "(;SZ[9]RU[Ing])", "(;RU[new zealand]SZ[9]VW[aa:cc];B[ee]VW[])",
)
READ = """
Promise.all(["/game/sgf_reader.js", "/service/service.js"].map((name) => import(name))).then(async ([{ readSgf }, { service }]) => {
  const ordered = (at) => (Array.isArray(at) ? at.map(ordered) : at && typeof at === "object"
    ? Object.fromEntries(Object.keys(at).sort().map((name) => [name, ordered(at[name])])) : at);
  const found = [];
  for (const goban of FILES) {
    for (const game of [undefined, 0, ...(goban.includes(")\\n(") ? [1, 2] : [])]) {
      const { id, warnings, done, ...told } = await service.ask("readGoban", { goban, game });
      if (game === undefined && told.others === 0) delete told.games;
      // The order of the points of a list makes no difference.
      for (const { black, white } of told.nodes) for (const list of [black, white]) list?.sort();
      const own = readSgf(goban, game);
      for (const { black, white } of own.nodes) for (const list of [black, white]) list?.sort();
      if (game !== undefined) told.others = 0;
      found.push([JSON.stringify(ordered(told)), JSON.stringify(ordered(own))]);
    }
  }
  return found;
})
"""


class OfflineTest(PageTest):
    def test_positions_equal_those_of_the_service(self):
        with self.open() as page:
            seen = page.value(COMPARED.replace("GAMES", "10").replace("MOVES", "80"))
            self.assertIsInstance(seen, dict, seen)
            self.assertGreater(seen.pop("compared"), 10000)
            for name, count in seen.items():
                self.assertGreater(count, 0, f"{name}: {seen}")

    def test_files_are_read_as_by_the_service(self):
        with self.open() as page:
            found = page.value(READ.replace("FILES", json.dumps(FILES)))
            self.assertGreater(len(found), 12)
            for told, own in found:
                self.assertEqual(own, told)

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
            self.assertTrue({"keep", "move", "score", "analyse"} <= set(page.value(self.DISABLED)))
            self.assertFalse({"new", "open", "save-file", "pass", "edit"} & set(page.value(self.DISABLED)))
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

    def test_files_and_problems_without_the_service(self):
        problem = "(;SZ[9]AB[cc]AW[gg]PL[B](;B[ee];W[ef];B[ff])(;B[aa]C[Wrong.]))"
        text = "document.getElementById('problem-text').textContent"
        with self.open() as page:
            self.disconnect(page)
            # Not UTF-8.
            self.choose_bytes(page, "(;CA[GB18030]SZ[9]PB[围棋];B[ee];W[cc])".encode("gb18030"))
            page.until(f"document.querySelector('#cards .name').textContent === '围棋' && {self.SAID} === 'game.sgf opened.'")
            self.go(page, "#last", 2)
            self.choose(page, problem + problem.replace("[aa]", "[ab]"))
            page.until("document.querySelectorAll('#collection-list li').length === 2")
            self.assertTrue(page.value("document.getElementById('collection-all').disabled"))
            page.press("#collection-list li:nth-child(2) button")
            page.until(f"{text} === 'Choose a move. The file contains the answers.'")
            self.play(page, 8, 8)
            page.until(f"{text} === 'Without the connection, only moves in the file can be judged.'")
            page.press("#problem-again")
            self.play(page, 0, 1)
            page.until(f"{text}.startsWith('A8 is wrong.')")
            page.press("#problem-again")
            page.until(self.number(0))
            self.play(page, 4, 4, number=2)
            self.play(page, 5, 5)
            page.until(f"{text} === 'Correct. The problem is solved.'")
            page.press("#games")
            page.until("document.getElementById('games-export').disabled")
            page.press("#games-dialog button[value=cancel]")
            # Another format needs the service.
            self.choose(page, "nothing")
            page.until(f"{self.SAID} === 'This is not a game file (SGF).'")
            # Problems without answers are proved as soon as the service is back.
            self.tab(page, "review")
            page.press("#practice-starter")
            page.press("#collection-dialog button[value=cancel]")
            page.until(f"{text} === 'Without the connection, only moves in the file can be judged.'")
            self.reconnect(page)
            page.until(f"{text} === 'A solution has been proved. Choose a move.'")

    def test_engines_clock_waits_for_the_service(self):
        with self.open() as page:
            self.begin(page, level=1, minutes=5)
            self.disconnect(page)
            self.play(page, 4, 4, number=1)
            running = "import('/game/state.js').then(({ state }) => String(state.clocks?.running))"
            page.until(f"{running}.then((color) => color === 'null')")
            self.reload(page)
            page.until(f"{self.number(1)} && {running}.then((color) => color === 'null')")
            self.reconnect(page)
            page.until(f"{self.number(2)} && {running}.then((color) => color === 'black')")

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
