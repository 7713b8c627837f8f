// Panel of the reviewed move that the user looks at: its loss, the better move, and the variation on the board.

import { bind, make, makeButton, write } from "/core/dom.js";
import { changed } from "/core/store.js";
import { lossText } from "/board/candidates.js";
import { go } from "/game/play.js";
import { addVariation, moment } from "/game/review.js";
import { chanceOf } from "/game/review_data.js";
import { state } from "/game/state.js";
import { isOpen } from "/game/tabs.js";
import { addPanel } from "/panels/panel.js";
import { actionButton } from "/panels/toolbar.js";
import { percent, t } from "/texts/texts.js";

/** Number of moves of a variation, and the time between its moves when it is played out, in milliseconds. */
const [LENGTH, PACE] = [12, 500];

let root;
let stone;
let title;
let badge;
let facts;
let better;
let line;
let tools;
let shown = null; // node whose line is shown
let timer = null;
/** Number of moves of the variation that stay on the board when the pointer leaves the list of moves. */
let pinned = 0;

const betterLine = (review) => review.better?.slice(0, LENGTH) ?? [];

/** Shows the first `count` moves of the better line on the board, in the position before the move. */
async function preview(node, count) {
  const base = node.parent;
  if (!base) return;
  if (state.game.here !== base) {
    state.moment = node;
    await go(base);
    if (state.game.here !== base) return;
  }
  state.preview = count > 0 ? { node: base, color: node.review.color, vertices: betterLine(node.review).slice(0, count) } : null;
  changed("hover");
}

function stop() {
  clearInterval(timer);
  timer = null;
}

/** Plays the better line out on the board, move by move. */
async function playOut(node) {
  stop();
  const { length } = betterLine(node.review);
  if (length === 0) return;
  pinned = length;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
    await preview(node, length);
    return;
  }
  await preview(node, 1);
  let count = 1;
  timer = setInterval(() => {
    count += 1;
    if (count > length || state.preview?.node !== node.parent) stop();
    else preview(node, count);
  }, PACE);
}

const button = (id, text, work) => makeButton({ id, text }, () => work(moment()));

function chips(node) {
  const { review } = node;
  return betterLine(review).map((vertex, index) => {
    const black = (review.color === "black") === (index % 2 === 0);
    const chip = makeButton({ class: `chip ${black ? "black" : "white"}` }, () => {
      stop();
      pinned = pinned === index + 1 && state.game.here === node.parent ? 0 : index + 1;
      preview(node, pinned);
    }, t("vertex", { vertex }));
    chip.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && !timer && state.game.here === node.parent && preview(node, index + 1));
    return chip;
  });
}

function build(panel) {
  root = panel;
  stone = make("span", { class: "dot-stone", "aria-hidden": "true" });
  title = make("h2", { id: "moment-title" });
  badge = make("span", { class: "loss-badge" });
  facts = make("p", { id: "moment-facts" });
  better = make("p", { id: "moment-better" });
  line = make("div", { id: "moment-line", class: "chips" });
  line.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && !timer && state.preview?.node === shown?.parent && preview(shown, pinned));
  tools = make("div", { class: "row" },
    button("moment-play", "moment.play", (node) => node && playOut(node)),
    button("moment-add", "moment.add", (node) => node && addVariation(node.parent, node.review.color, betterLine(node.review))),
    button("moment-step", "moment.step", (node) => node && (state.game.here === node ? preview(node, 0) : go(node))));
  const step = (id) => actionButton(id, `moment-${id}`);
  root.append(make("div", { class: "row spread" }, step("previous-mistake"), step("next-mistake")),
    make("div", { class: "moment" }, make("div", { class: "row" }, stone, title, badge), facts, better, line, tools));
}

function fill(node) {
  const { review } = node;
  const { color, vertex, number, lost, before, after, grade, loss, rank, turning } = review;
  const percents = { before: percent(chanceOf(color, before)), after: after ? percent(chanceOf(color, after)) : "" };
  stone.className = `dot-stone ${color}`;
  write(title, t("moment.title", { number, color, vertex }));
  write(badge, lossText(lost));
  badge.className = `loss-badge loss-${loss}`;
  // One name for each move, the one of the list.
  const name = turning ? t("moment.turning") : grade !== "good" && t(`grade.${grade}`);
  const words = [name, t("moment.chances", percents)];
  write(facts, words.filter(Boolean).join(" · "));
  const key = rank === 0 ? "moment.first" : loss === 0 ? "moment.equal" : "moment.better";
  write(better, rank === 0 || review.better ? t(key, { vertex: review.better?.[0] }) : "");
  tools.hidden = !review.better || rank === 0 || !node.parent;
  bind(tools.lastChild, "text", state.game.here === node ? "moment.before" : "moment.step");
  line.hidden = tools.hidden;
  // Chips under the pointer or with the focus are not replaced.
  const signature = [number, ...betterLine(review).map((one) => t("vertex", { vertex: one }))].join(" ");
  if (shown !== node || line.dataset.signature !== signature) {
    line.replaceChildren(...chips(node));
    line.dataset.signature = signature;
    if (shown !== node) pinned = 0;
    shown = node;
  }
  const count = state.preview?.node === node.parent ? state.preview.vertices.length : 0;
  [...line.children].forEach((chip, index) => chip.setAttribute("aria-pressed", index < count));
}

addPanel({
  id: "moment-panel", tab: "review", order: 20, label: "moment.label", topics: ["review", "game", "position", "tree", "hover", "settings"],
  build,
  update() {
    root.hidden = !state.game.review;
    const node = moment();
    root.lastChild.hidden = !node;
    if (node) fill(node);
  },
});

// On phones, the tab is far from the board, so the most important part is shown directly below it.
const bar = {};

addPanel({
  id: "moment-bar", place: "status", order: 6, topics: ["review", "game", "position", "tree", "hover", "settings", "mode"],
  build(panel) {
    bar.root = panel;
    bar.text = makeButton({ id: "moment-bar-text", title: "moment.play" }, () => moment() && playOut(moment()));
    const step = (id) => actionButton(id, `bar-${id}`);
    panel.append(step("previous-mistake"), bar.text, step("next-mistake"));
  },
  update() {
    const node = state.game.review ? moment() : null;
    bar.root.hidden = !state.game.review || !isOpen("review") || state.mode !== "play";
    bar.text.hidden = !node;
    if (!node) return;
    const { number, vertex, color, lost, loss, rank, better: line } = node.review;
    bar.text.replaceChildren(make("span", { class: `dot-stone ${color}`, "aria-hidden": "true" }), t("mistakes.move", { number, vertex }),
      make("span", { class: `loss-badge loss-${loss}` }, lossText(lost)), ...(line && rank !== 0 && loss > 0 ? [t("mistakes.better", { vertex: line[0] })] : []));
  },
});
