// Rules of the game: the position after each move, as the service describes it in its response to `position`. With them,
// the page steps through games and two players play without the service. A test compares both on many games.
//
// Points are numbered by rows from the upper left. A state is the position after a move: `cells` (1 Black, -1 White, 0
// empty), `turn`, `ko` ([colour, point] or null), `passes`, `button` (true once it has been taken), `noResult`,
// `prisoners`, `taken` (by colour, points at which its stones have been captured), `hash` of the stones, `key` for
// repetitions, `number` of moves, `last` move and `previous` state.

/** Ko rule of the named rule sets, whether suicide is legal, and whether the first pass takes a button. */
const SETS = {
  "tromp-taylor": { ko: "positional", suicide: true }, "chinese": { ko: "simple" }, "chinese-ogs": { ko: "positional" },
  "chinese-kgs": { ko: "positional" }, "japanese": { ko: "simple" }, "korean": { ko: "simple" }, "stone-scoring": { ko: "simple" },
  "ancient-territory": { ko: "simple" }, "aga": { ko: "situational" }, "bga": { ko: "situational" },
  "new-zealand": { ko: "situational", suicide: true }, "aga-button": { ko: "situational", button: true },
  "ing": { ko: "positional", suicide: true }, "cgos": { ko: "positional" },
};
/** Maximum number of moves since the latest set-up, as in the service. */
const LONGEST = 5000;
/** Number of occurrences of a position that end a game under simple ko. */
const OCCURRENCES = 3;

/** Returns the rule set with this name or in KataGo's notation, {ko, suicide, button}, or undefined if it is unknown. */
export function ruleSet(name) {
  const [, ko] = /^ko(SIMPLE|POSITIONAL|SITUATIONAL)/.exec(name) ?? [];
  // Equal rules are the same object.
  if (ko) SETS[name] ??= { ko: ko.toLowerCase(), suicide: !name.includes("sui0"), button: name.includes("button1") };
  return SETS[name];
}

const opposite = { black: "white", white: "black" };
const VALUES = { black: 1, white: -1 };

/** Returns the error of a move or of a set-up, with the code of the service. */
const failure = (code, params) => Object.assign(new Error(code), { code, params });

/** Lists of adjacent points by board size. */
const adjacent = new Map();

function neighbours([columns, rows]) {
  const name = `${columns} ${rows}`;
  if (!adjacent.has(name)) {
    adjacent.set(name, Array.from({ length: columns * rows }, (_, point) => {
      const [column, row] = [point % columns, Math.floor(point / columns)];
      return [row > 0 && point - columns, column > 0 && point - 1, column < columns - 1 && point + 1, row < rows - 1 && point + columns].filter((at) => at !== false);
    }));
  }
  return adjacent.get(name);
}

/** Random numbers of 52 bits, two for each point, and one for White's turn, always the same ones (mulberry32). */
const HASHES = (() => {
  let seed = 0x9e3779b9;
  const next = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let value = Math.imul(seed ^ (seed >>> 15), seed | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return (value ^ (value >>> 14)) >>> 0;
  };
  return Array.from({ length: 2 * 19 * 19 + 1 }, () => [next() & 0xfffff, next()]);
})();
const WHITE_TURN = HASHES.at(-1);

const mixed = ([high, low], [otherHigh, otherLow]) => [high ^ otherHigh, (low ^ otherLow) >>> 0];
const withStone = (hash, value, point) => mixed(hash, HASHES[2 * point + (value > 0 ? 0 : 1)]);

/** Returns the number by which a position is recognised under a ko rule. */
function keyOf(rules, hash, turn) {
  const [high, low] = rules.ko === "positional" || turn === "black" ? hash : mixed(hash, WHITE_TURN);
  return high * 2 ** 32 + low;
}

/** Returns the stones and the liberties of the chain at a point. */
function chainAt(cells, around, start) {
  const stones = [start];
  const seen = new Set(stones);
  const liberties = new Set();
  for (let index = 0; index < stones.length; index += 1) {
    for (const at of around[stones[index]]) {
      if (cells[at] === 0) liberties.add(at);
      else if (cells[at] === cells[start] && !seen.has(at)) {
        seen.add(at);
        stones.push(at);
      }
    }
  }
  return { stones, liberties };
}

/** Puts a stone on an empty point of `cells` and removes captured stones. Returns {captured, suicide, ko (or null)}. */
function place(cells, around, value, point) {
  const captured = [];
  cells[point] = value;
  for (const at of around[point]) {
    if (cells[at] !== -value) continue;
    const { stones, liberties } = chainAt(cells, around, at);
    if (liberties.size > 0) continue;
    for (const stone of stones) cells[stone] = 0;
    captured.push(...stones);
  }
  const own = chainAt(cells, around, point);
  if (own.liberties.size === 0) {
    for (const stone of own.stones) cells[stone] = 0;
    return { captured: own.stones, suicide: true, ko: null };
  }
  const lone = captured.length === 1 && own.stones.length === 1 && own.liberties.size === 1;
  return { captured, suicide: false, ko: lone ? captured[0] : null };
}

/** Returns the hash of the stones after a move. */
function hashAfter(hash, value, point, { captured, suicide }) {
  const owner = suicide ? value : -value;
  return captured.reduce((sum, stone) => withStone(sum, owner, stone), withStone(hash, value, point));
}

/** Throws an error if stones of `board`, a matrix, have no liberties. `name(point)` writes a point. */
export function checkLiberties(size, board, name) {
  const cells = Int8Array.from(board.flat());
  cells.forEach((value, point) => {
    const { stones, liberties } = value === 0 ? {} : chainAt(cells, neighbours(size), point);
    if (liberties?.size === 0) throw failure("noLiberties", { color: value > 0 ? "black" : "white", points: stones.map(name) });
  });
}

/**
 * Returns the state with the stones of `board`, a matrix. `color` makes the first move. `before`: state before a set-up,
 * the prisoners of which still count.
 */
export function startState(rules, size, board, color, before = null) {
  const cells = Int8Array.from(board.flat());
  const hash = cells.reduce((sum, value, point) => (value === 0 ? sum : withStone(sum, value, point)), [0, 0]);
  const nothing = new Uint8Array(cells.length);
  return {
    rules, size, cells, turn: color, ko: null, passes: 0, button: false, noResult: false, prisoners: { black: 0, white: 0, ...before?.prisoners },
    taken: { black: nothing, white: nothing }, hash, key: keyOf(rules, hash, color), number: 0, last: null, previous: null,
  };
}

/** True if the rules forbid repeating an earlier position and this key is that of one. */
function isRepetition(state, key) {
  if (state.rules.ko === "simple") return false;
  for (let at = state; at; at = at.previous) if (at.key === key) return true;
  return false;
}

/** Returns the code of the error that a stone of `color` on a point would be, or null if it is legal. */
function objection(state, color, point) {
  const { rules, size, cells, ko, taken, hash } = state;
  if (cells[point] !== 0) return "occupied";
  const around = neighbours(size);
  // Only captures, suicide and stones on points of captured stones can break a rule.
  if (!taken[color][point] && around[point].some((at) => cells[at] === 0)) return null;
  const result = place(cells.slice(), around, VALUES[color], point);
  if (result.suicide && (!rules.suicide || result.captured.length === 1)) return "suicide";
  if (ko && ko[0] === color && ko[1] === point) return "ko";
  if (!result.suicide && !taken[color][point]) return null;
  return isRepetition(state, keyOf(rules, hashAfter(hash, VALUES[color], point, result), opposite[color])) ? "superko" : null;
}

/** True if the position has occurred often enough since the last pass to end the game. */
function isThird(state) {
  let count = 0;
  for (let at = state; at; at = at.previous) {
    if (at.key === state.key) count += 1;
    const { previous } = at;
    // Stones always change the board; a pass does not.
    if (previous && String(previous.hash) === String(at.hash)) break;
  }
  return count >= OCCURRENCES;
}

function passState(state, color) {
  const { rules, passes, button, last, hash } = state;
  const takes = Boolean(rules.button) && !button;
  const repeated = last?.color === color && last.point === null;
  const turn = opposite[color];
  return {
    ...state, turn, ko: null, passes: takes ? 0 : repeated ? 1 : passes + 1, button: button || takes, noResult: false,
    key: keyOf(rules, hash, turn), number: state.number + 1, last: { color, point: null }, previous: state,
  };
}

function stoneState(state, color, point) {
  const { rules, size, prisoners, taken } = state;
  const cells = state.cells.slice();
  const result = place(cells, neighbours(size), VALUES[color], point);
  const { captured, suicide, ko } = result;
  const hash = hashAfter(state.hash, VALUES[color], point, result);
  const [owner, turn] = [suicide ? color : opposite[color], opposite[color]];
  const next = {
    ...state, cells, hash, turn, ko: ko === null ? null : [owner, ko], passes: 0, noResult: false, key: keyOf(rules, hash, turn),
    number: state.number + 1, last: { color, point }, previous: state,
  };
  if (captured.length > 0) {
    const points = taken[owner].slice();
    for (const stone of captured) points[stone] = 1;
    Object.assign(next, { prisoners: { ...prisoners, [owner]: prisoners[owner] + captured.length }, taken: { ...taken, [owner]: points } });
  }
  const mayRepeat = rules.ko === "simple" && (taken[color][point] === 1 || suicide);
  if (mayRepeat) next.noResult = isThird(next);
  return next;
}

/** Returns the state after a move of `color`, which may break the ko and suicide rules. `point`: null for a pass. */
export function nextState(state, color, point) {
  if (state.number >= LONGEST) throw failure("tooManyMoves", { limit: LONGEST });
  if (point === null) return passState(state, color);
  if (state.cells[point] !== 0) throw failure("occupied", { color });
  return stoneState(state, color, point);
}

/** Returns the code of the rule that the last move of `state` breaks, or null. */
export function brokenRule({ last, previous }) {
  return last && last.point !== null ? objection(previous, last.color, last.point) : null;
}

/** Describes a state with `color` to move as the service does; `name(point)` writes a point. */
export function describe(state, color, name) {
  const { size: [columns, rows], cells, prisoners, passes, noResult } = state;
  const forbidden = [];
  cells.forEach((value, point) => {
    if (value === 0 && objection(state, color, point)) forbidden.push(name(point));
  });
  const board = Array.from({ length: rows }, (_, row) => Array.from(cells.subarray(row * columns, (row + 1) * columns)));
  return { board, color, forbidden, prisoners: { ...prisoners }, ended: passes >= 2 || noResult, noResult };
}
