// What the board shows besides its stones: the last move, move numbers, the count, and the estimate.

import { settings } from "/core/settings.js";
import { addViewSource } from "/board/view.js";

const placeOf = (game, node) => (node.move && node.move[1] !== "pass" ? game.place(node.move[1]) : null);

/** Returns the numbers of the moves whose stones are still on the board, as a map by point. */
function moveNumbers(game, matrix) {
  const numbers = new Map();
  let number = 0;
  for (const node of game.path()) {
    if (!node.move) continue;
    number += 1;
    const place = placeOf(game, node);
    if (place && matrix[place[1]][place[0]] !== 0) numbers.set(String(place), number);
  }
  return numbers;
}

addViewSource((view, { game, mode }) => {
  if (mode === "edit") return;
  const last = placeOf(game, game.here);
  view.last = ["play", "estimate", "problem", "guess"].includes(mode) ? last : null;
  if (settings.numbers === "none") return;
  const numbers = moveNumbers(game, view.matrix);
  if (settings.numbers === "all") view.numbers = numbers;
  else if (last) view.numbers = new Map([[String(last), numbers.get(String(last))]]);
});

/** Rules under which living stones do not count. */
const TERRITORY = ["japanese", "korean", "ancient-territory"];

/** Returns the points that count for their owners: under territory rules, not those of living stones. */
function counted(owned, { matrix, dead }, { settings: { rules } }) {
  if (!TERRITORY.includes(rules)) return owned;
  return owned.map((row, y) => row.map((value, x) => (matrix[y][x] === 0 || dead.has(`${x},${y}`) ? value : 0)));
}

addViewSource((view, { game, game: { here }, mode }) => {
  if (mode !== "play" || game.settings.playing || here.children.length < 2) return;
  // The variations of a problem are its answers.
  if (here === game.root && here.setUp) return;
  view.branches = here.children.filter(({ move }) => move && move[1] !== "pass").map(({ move: [color, vertex] }) => ({ at: game.place(vertex), color }));
});

addViewSource((view, { game, mode, scored, estimated }) => {
  if (mode === "score") {
    view.dead = new Set(scored.dead.map((vertex) => String(game.place(vertex))));
    view.owners = counted(scored.owned, view, game);
  } else if (mode === "estimate") {
    view.paint = estimated.ownership;
  }
});
