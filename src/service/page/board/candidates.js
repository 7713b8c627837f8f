// Candidate moves, expected owners and move probabilities on the board, and the losses of the latest moves.

import { svg } from "/core/dom.js";
import { addSetting, settings } from "/core/settings.js";
import { changed, on } from "/core/store.js";
import { addLayer } from "/board/layers.js";
import { addViewSource, onHover, variation } from "/board/view.js";
import { policy, shownCandidates } from "/game/candidates.js";
import { lossClass } from "/game/loss.js";
import { moment } from "/game/review.js";
import { state } from "/game/state.js";
import { isOpen } from "/game/tabs.js";
import { number, percent, signed } from "/texts/texts.js";

/** Moves with fewer visits than this, and than this share of the most visited move, are shown without text. */
const [FEW_VISITS, FEW_SHARE] = [25, 0.2];
/** Maximum number of candidates on the board. */
const MAX_CANDIDATES = 12;
/** Number of moves whose losses are marked on their stones. */
const MARKED_MOVES = 3;
/** Stones whose point is expected to be the opponent's, by at least this, are marked. */
const DEAD = 0.4;

addSetting({ id: "hints", group: "analysis", kind: "switch", value: true });
addSetting({ id: "ownership", group: "analysis", kind: "switch", value: true });
addSetting({ id: "policy", group: "analysis", kind: "switch", value: false });
addSetting({ id: "lossDots", group: "analysis", kind: "switch", value: true });
addSetting({ id: "hintText", group: "analysis", kind: "choice", value: "lost", choices: ["lost", "winrate", "lead"] });
addSetting({ id: "losses", group: "analysis", kind: "choice", value: "usual", choices: ["usual", "safe"] });

function applyScale() {
  document.documentElement.dataset.losses = settings.losses;
}

on(["settings"], applyScale);
applyScale();

/** Formats a loss in points; values that round to zero have no sign. */
export const lossText = (lost) => signed(-lost);

/** Formats a number of visits briefly. */
const visitsText = (visits) => (visits < 1000 ? String(visits) : `${number(visits / 1000, visits < 10000 ? 1 : 0)}k`);

const TEXTS = {
  lost: ({ lost }) => lossText(lost), winrate: ({ winrate }) => percent(winrate), lead: ({ lead }) => signed(lead),
};

/** True if the points are too small for two lines of text. */
const crowded = () => innerWidth < 600 && state.game.width > 13;

/** Returns the text of a loss on a disc; small discs have no sign. */
export const discText = (lost) => (crowded() ? number(Math.abs(lost), 1) : lossText(lost));

/** Returns the text on the disc of a candidate. Small discs show only the size of the loss. */
function linesOf(move) {
  if (!crowded()) return [TEXTS[settings.hintText](move), ...(move.visits ? [visitsText(move.visits)] : [])];
  return [settings.hintText === "lost" ? discText(move.lost) : TEXTS[settings.hintText](move)];
}

/** Returns the disc of a candidate. */
function disc(move, index, moves, next) {
  const { vertex, visits, lost } = move;
  const few = visits < FEW_VISITS && visits < FEW_SHARE * moves[0].visits && vertex !== next;
  return {
    at: state.game.place(vertex), kind: `loss-${lossClass(lost)}`, best: index === 0, ringed: vertex === next,
    scale: few ? 0.7 : 1, alpha: few ? 0.6 : 0.93, lines: few ? [] : linesOf(move),
  };
}

/** Returns the discs of candidates, and a ring at the next move of the record if it is not among them. */
function discs({ moves }, next, played) {
  const drawn = moves.slice(0, MAX_CANDIDATES).filter(({ vertex }) => vertex !== "pass").map((move, index) => disc(move, index, moves, next));
  if (!next || next === "pass" || moves.slice(0, MAX_CANDIDATES).some(({ vertex }) => vertex === next)) return drawn;
  // The review knows the loss of a move that the search did not consider.
  const known = played ? { kind: `loss-${played.loss}`, lines: settings.hintText === "lost" ? linesOf(played) : [], alpha: 0.93 } : { kind: "next" };
  return [...drawn, { at: state.game.place(next), ringed: true, ...known }];
}

addViewSource((view, { game, mode, hovered, preview }) => {
  if (preview?.node === game.here && (mode === "problem" || isOpen("review"))) view.line = variation(preview.vertices, preview.color, preview.vertices.length);
  const found = shownCandidates();
  if (!found) return;
  const move = found.moves.find(({ vertex }) => vertex === hovered);
  if (move && settings.hints) view.line ??= variation(move.pv, found.color);
  if (settings.ownership && found.ownership) own(view, found.ownership);
  const probabilities = policy();
  const next = game.next();
  if (probabilities) view.heat = probabilities;
  else if (settings.hints) view.discs = discs(found, next?.move?.[1] ?? null, next?.review);
});

/** Shows the expected owners: shades on the points, squares on stones that are expected to be captured. */
function own(view, ownership) {
  view.paint = ownership;
  view.owners = ownership.map((row, y) => row.map((value, x) => (value * view.matrix[y][x] < -DEAD ? value : 0)));
}

onHover((place) => {
  const vertex = place && state.game.vertex(...place);
  hover(shownCandidates()?.moves.some((move) => move.vertex === vertex) ? vertex : null);
});

/** Shows the variation of an analysed move, or of none (null). */
export function hover(vertex) {
  if (state.hovered === vertex) return;
  state.hovered = vertex;
  changed("hover");
}

addLayer({
  name: "losses",
  order: 415,
  items: ({ losses }) => (losses ?? []).map(({ at: [x, y], loss }) => [`${x},${y}`, loss, () => (
    svg("circle", { cx: x, cy: y, r: 0.13 + 0.02 * loss, class: `loss-dot loss-${loss}` }))]),
});

addViewSource((view, { game, mode }) => {
  if (!settings.lossDots || mode !== "play" || (game.settings.playing && !game.over)) return;
  const losses = new Map();
  let node = game.here;
  for (let count = 0; count < MARKED_MOVES && node; count += 1, node = node.parent) {
    if (!node.review || node.review.vertex === "pass") continue;
    const at = game.place(node.review.vertex);
    if (view.matrix[at[1]][at[0]] !== 0 && !losses.has(String(at))) losses.set(String(at), { at, loss: node.review.loss });
  }
  view.losses = [...losses.values()];
});

// A variation ends when another position is shown.
on(["position"], () => {
  if (state.preview && state.preview.node !== state.game.here) state.preview = null;
});

// The chosen move of a review is compared with better ones.
addViewSource((view, { game }) => {
  const node = moment();
  if (!node || node.parent !== game.here || !view.discs || state.analysing || game.here.deepest) return;
  view.discs = view.discs.filter(({ best, ringed }) => best || ringed);
});
