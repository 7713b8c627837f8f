// The page: a game, what is being done with it, and what every button and key does.

import { decoded } from "/charset.js";
import { Clocks } from "/clock.js";
import { askNew, download, Games, prepareNew } from "/dialogs.js";
import { Game, letter, other } from "/game.js";
import { showButtons, showClock } from "/panels.js";
import { write } from "/sgf.js";
import { draw, prepare, show } from "/show.js";
import { attempt, capital, isOwn, keep, kept, say, service, stand, state, value } from "/state.js";

const byId = (id) => document.getElementById(id);
/** Visits at which an analysis is deep enough. */
const DEEP = 100000;
const TOLD = 10;

/** Goes to another position; what was being done here ends. At the end of a line, the engine moves if it is its turn. */
async function go(node) {
  const { game } = state;
  const before = game.path().findLast(({ stand: known }) => known);
  game.go(node);
  state.mode = "play";
  state.hovered = null;
  halt();
  state.stop?.();
  state.stop = null;
  // An engine that is not let think loses no time.
  const running = state.clocks?.running;
  if (running && !state.humans[running]) state.clocks.turn(null);
  await show();
  // What a file sets up is known once it is shown.
  if (game !== state.game || node !== game.here) return;
  if (!node.stand) {
    // A file may hold what the rules do not allow. That has been said; what can be shown is shown again.
    if (before) {
      game.go(before);
      analyse();
      await show();
    }
    return;
  }
  analyse();
  if (node.children.length === 0) answer();
}

/** Ends what waits for an answer: a move that is made, or that the engine thinks about. */
function halt() {
  state.busy?.abort();
  state.busy = null;
}

/** Starts or ends the analysis of the position here, as is wanted. */
function analyse() {
  state.stop?.();
  state.stop = null;
  const { game } = state;
  const node = game.here;
  if (!state.analysing || state.mode !== "play") return;
  const heard = (answer) => {
    node.analysis = answer;
    value(node, answer);
    if (game === state.game && node === game.here) draw();
  };
  const wanted = { ...game.position(), visits: DEEP, top: TOLD, ownership: true };
  state.stop = service.stream("run", wanted, heard, (error) => say(error.message));
}

/** Whether the game is over; it is said if it is. */
function over() {
  const { game } = state;
  if (game.over) say(`The game is over: ${game.settings.result}. Undo takes the end back.`);
  return game.over;
}

/** Makes a move, if the rules allow it, and has the engine answer if it is its turn. */
async function play(color, vertex) {
  const { game } = state;
  if (state.mode !== "play" || state.busy || over()) return;
  const node = game.after(color, vertex);
  const making = new AbortController();
  state.busy = making;
  const known = await attempt(() => stand(node));
  // Meanwhile the time may be over, or the user may have gone elsewhere.
  if (state.busy !== making) return;
  state.busy = null;
  if (!known) {
    draw();
    return;
  }
  game.take(node);
  state.hovered = null;
  say(`${capital(color)} ${vertex}.`);
  state.clocks?.turn(known.ended ? null : known.color);
  analyse();
  await show();
  if (known.ended) await score();
  else await answer();
}

/** Lets the engine move if it is its turn. */
async function answer() {
  const { game } = state;
  const { here } = game;
  if (!here.stand || here.stand.ended || game.over) return;
  if (!state.humans[here.stand.color]) await move();
}

/** The engine moves, whoever's turn it is. */
async function move() {
  const { game } = state;
  const { here } = game;
  if (state.busy || state.mode !== "play" || !here.stand || over()) return;
  const color = here.stand.color;
  const thinking = new AbortController();
  state.busy = thinking;
  if (state.clocks && state.clocks.running !== color) state.clocks.turn(color);
  say(`${capital(color)} thinks …`);
  showButtons(state);
  // Whoever asks for a move of their own has not given up.
  const lostTurns = state.humans[color] ? 0 : state.lostTurns[color];
  const wanted = { ...game.position(), level: state.level, seconds: state.clocks?.budget(color), lostTurns };
  const found = await attempt(() => service.ask("genmove", wanted, { signal: thinking.signal }));
  if (state.busy !== thinking) return;
  state.busy = null;
  showButtons(state);
  if (!found) {
    state.clocks?.turn(null);
    return;
  }
  value(here, found);
  state.lostTurns[color] = found.lostTurns;
  if (found.move === "resign") resign(color);
  else await play(color, found.move);
}

function resign(color) {
  end(`${letter(other(color))}+R`, `${capital(color)} resigns.`);
}

function end(result, told) {
  if (state.game.settings.result) return;
  state.game.settings.result = result;
  halt();
  state.clocks?.turn(null);
  say(told);
  show();
}

/** Counts the position; stones that are chosen then change between alive and dead. */
async function score(dead) {
  const { game } = state;
  const { here } = game;
  const found = await attempt(() => service.ask("score", { ...game.position(), dead }));
  if (!found || game !== state.game || here !== game.here) return;
  state.mode = "score";
  state.scored = found;
  analyse();
  const { points, whiteExtra } = found;
  const result = found.score === "0" ? "A draw" : found.score;
  say(`${result}: Black ${points.black}, White ${points.white}${whiteExtra ? ` and ${whiteExtra}` : ""}. Choose stones to mark them dead or alive.`);
  if (game.settings.playing && here.stand.ended && !game.settings.result.endsWith("R")) game.settings.result = found.score;
  await show();
}

/** The stones of a chain, as vertices. */
function chain(column, row) {
  const { game } = state;
  const { board: rows } = game.here.stand;
  const seen = new Set();
  const open = [[column, row]];
  while (open.length > 0) {
    const [x, y] = open.pop();
    const vertex = game.vertex(x, y);
    if (seen.has(vertex)) continue;
    seen.add(vertex);
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      if (rows[y + dy]?.[x + dx] === rows[row][column]) open.push([x + dx, y + dy]);
    }
  }
  return [...seen];
}

/** Something has been chosen on the board. */
function chosen(column, row) {
  const { game, mode } = state;
  const { here } = game;
  if (!here.stand) return;
  if (mode === "edit") {
    const stone = Number(byId("edit-stone").value);
    state.edited[row][column] = state.edited[row][column] === stone ? 0 : stone;
    draw();
  } else if (mode === "score") {
    if (here.stand.board[row][column] === 0) return;
    const stones = chain(column, row);
    const dead = new Set(state.scored.dead);
    const marked = dead.has(stones[0]);
    for (const vertex of stones) marked ? dead.delete(vertex) : dead.add(vertex);
    state.scored.dead = [...dead];
    score(state.scored.dead);
  } else if (isOwn(here.stand.color)) {
    play(here.stand.color, game.vertex(column, row));
  }
}

const actions = {
  first: () => go(state.game.root),
  back: () => state.game.here.parent && go(state.game.here.parent),
  forward: () => {
    const line = state.game.line();
    const next = line[line.indexOf(state.game.here) + 1];
    return next && go(next);
  },
  last: () => go(state.game.line().at(-1)),
  undo: async () => {
    const { game } = state;
    // Before the first move there may be an end to take back.
    let to = game.here.parent ?? game.here;
    // Against the engine, back to the player's own turn.
    const { black, white } = state.humans;
    while (to.parent && black !== white && !state.humans[game.turn(to)]) to = to.parent;
    if (game.settings.playing) game.settings.result = "";
    // There is no time left to go on with.
    if (state.clocks?.flagged) untimed();
    state.lostTurns = { black: 0, white: 0 };
    await go(to);
    if (!to.stand) return;
    say("Taken back.");
    if (isOwn(to.stand.color)) state.clocks?.turn(to.stand.color);
    else await answer();
  },
  pass: () => state.mayPass && play(state.game.here.stand.color, "pass"),
  resign: () => state.resigner && resign(state.resigner),
  move: () => move(),
  score: () => {
    if (state.busy) return;
    if (state.mode !== "score") return score();
    state.mode = "play";
    say("");
    analyse();
    return show();
  },
  analyse: () => {
    state.analysing = !state.analysing;
    say(state.analysing ? "Analysing." : "Analysis ended.");
    analyse();
    draw();
  },
  edit: () => {
    if (state.busy || !state.game.here.stand) return;
    if (state.mode === "edit") return actions["edit-cancel"]();
    state.mode = "edit";
    state.edited = state.game.here.stand.board.map((row) => [...row]);
    byId("edit-turn").value = state.game.here.stand.color;
    analyse();
    say("Choose points to place stones, then Done.");
    return draw();
  },
  "edit-done": async () => {
    const { game } = state;
    const turn = byId("edit-turn").value;
    const { komi, rules } = game.settings;
    const fits = await attempt(() => service.ask("position", { board: state.edited, color: turn, komi, rules }));
    if (!fits) return;
    const node = game.set(state.edited, turn);
    say(`Set up. ${capital(turn)} to play.`);
    await go(node);
  },
  "edit-cancel": () => {
    state.mode = "play";
    say("");
    analyse();
    return show();
  },
  remove: () => {
    state.game.remove();
    return go(state.game.here);
  },
  new: async () => {
    const wanted = await askNew();
    if (wanted) await attempt(() => begin(wanted));
  },
  open: () => byId("file").click(),
  "save-file": () => download("game.sgf", write(state.game)),
  keep: () => attempt(async () => {
    const { gobanId, new: fresh } = await service.ask("saveGoban", { goban: write(state.game) });
    say(fresh ? `Kept as game ${gobanId}.` : `It is kept already, as game ${gobanId}.`);
  }),
  games: () => games.open(),
};

/** The date where the user is, as game files have it. */
function today() {
  const now = new Date();
  return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
}

/** Begins a new game. */
async function begin({ seat, level, size, handicap, rules, komi, clock }) {
  let points = [];
  if (handicap > 1) ({ points } = await service.ask("handicap", { size, stones: handicap }));
  const humans = { black: seat === "black" || seat === "both", white: seat === "white" || seat === "both" };
  const name = (color) => (humans[color] ? "You" : `Honinbo, level ${level}`);
  open(new Game({ size, komi, rules, handicap, points, date: today(), black: name("black"), white: name("white"), playing: true }));
  Object.assign(state, { humans, level });
  state.clocks = timed(clock);
  await show();
  say(`A new game. ${capital(state.game.here.stand.color)} to play.`);
  state.clocks.turn(state.game.here.stand.color);
  await answer();
}

/** Clocks that end the game of whoever runs out of time. */
function timed(settings) {
  const lost = (color) => end(`${letter(other(color))}+T`, `${capital(color)} has run out of time.`);
  return new Clocks(settings, showClock, lost);
}

/** Goes on without clocks. */
function untimed() {
  state.clocks?.turn(null);
  state.clocks = null;
  for (const color of ["black", "white"]) showClock(color, "");
}

/** Takes another game up. */
function open(game) {
  state.stop?.();
  halt();
  untimed();
  byId("comment").blur();
  Object.assign(state, {
    game, mode: "play", hovered: null, stop: null, commented: null,
    lostTurns: { black: 0, white: 0 }, humans: { black: true, white: true },
  });
}

/** Takes the first game of a file up; `others` is how many more there are. */
async function read(goban) {
  const told = await service.ask("readGoban", { goban });
  const game = Game.read(told);
  open(game);
  return { game, others: told.others };
}

const games = new Games(service, async (id) => {
  const { goban, review } = await service.ask("loadGoban", { gobanId: id });
  const { game } = await read(goban);
  const line = game.line().filter((node, index) => index === 0 || node.move);
  // A review begins where stones were set up last.
  const skipped = (review?.moves[0]?.number ?? 1) - 1;
  (review?.positions ?? []).forEach(({ winrate, scoreLead }, index) => {
    const node = line[skipped + index];
    if (node) node.value = { winrate, lead: scoreLead };
  });
  await go(game.line().at(-1));
  if (game.here.stand) say("Opened.");
});

/** Goes on with the game of the last visit. */
async function resume() {
  const last = kept();
  if (!last) {
    say("You have Black. Choose a point, or begin another game.");
    return;
  }
  const { game } = await read(last.goban);
  let node = game.root;
  for (const index of last.way) node = node.children[index] ?? node;
  game.settings.playing = last.playing;
  Object.assign(state, { humans: last.humans, level: last.level, lostTurns: last.lostTurns });
  game.go(node);
  if (last.clock) state.clocks = timed(last.clock);
}

/** Lets the clock and the engine go on, where a game being played was left. */
async function goOn() {
  const { game, clocks, humans } = state;
  const { here } = game;
  if (!here.stand || here.stand.ended || game.over) return;
  // Whoever looks back does not wait for the engine, which therefore loses no time.
  const waiting = here.children.length === 0;
  if (waiting || humans[here.stand.color]) clocks?.turn(here.stand.color);
  if (waiting) await answer();
}

const KEYS = {
  Home: "first", End: "last", ArrowLeft: "back", ArrowRight: "forward", u: "undo", p: "pass", g: "move", s: "score", a: "analyse",
  e: "edit", Delete: "remove", n: "new", o: "open",
};

for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", () => action());
document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
  if (typing || event.ctrlKey || event.altKey || event.metaKey || !(event.key in KEYS)) return;
  event.preventDefault();
  const button = byId(KEYS[event.key]);
  if (!button.disabled) button.click();
});
// A comment belongs to the position at which it was begun, also when the engine answers meanwhile.
byId("comment").addEventListener("focus", () => {
  state.commented = state.game.here;
});
byId("comment").addEventListener("input", ({ target }) => {
  (state.commented ?? state.game.here).comment = target.value;
  keep();
});
byId("comment").addEventListener("blur", ({ target }) => {
  state.commented = null;
  target.value = state.game.here.comment;
});
byId("file").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  await attempt(async () => {
    const { game, others } = await read(decoded(await file.arrayBuffer()));
    await go(game.root);
    if (game.here.stand) say(`${file.name} opened${others > 0 ? `: the first of ${others + 1} games` : ""}.`);
  });
  target.value = "";
});

prepare({ go, play, chosen });
byId("new").disabled = true;
await attempt(async () => {
  prepareNew(await service.ask("version"), async (size) => (await attempt(() => service.ask("handicap", { size })))?.most ?? 0);
  byId("new").disabled = false;
});
await attempt(resume);
await show();
await attempt(goOn);
