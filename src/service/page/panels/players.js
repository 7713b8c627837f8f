// Panel of the players: names, whose turn it is, clocks, captured stones; and the facts of the game.

import { make, write } from "/core/dom.js";
import { againstEngine, state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { player, rank, result, rules, t } from "/texts/texts.js";

const cards = {};
let facts;

function card(color) {
  const parts = {
    name: make("span", { class: "name" }), rank: make("span", { class: "rank" }), turn: make("span", { class: "turn-text" }),
    clock: make("span", { class: "clock", role: "timer" }), prisoners: make("span"),
  };
  const root = make("div", { id: `${color}-player`, class: "card" },
    make("span", { class: `card-stone ${color}`, "aria-hidden": "true" }),
    make("div", { class: "card-text" },
      make("div", { class: "card-name" }, parts.name, parts.rank),
      make("div", { class: "card-facts" }, parts.prisoners, parts.turn)),
    parts.clock);
  cards[color] = { root, ...parts };
  return root;
}

/** Returns the name of a player; without one, who plays the colour, or the name of the colour. */
export function playerName(color) {
  const { game: { settings }, humans, level } = state;
  if (settings[color]) return player(settings[color]);
  if (againstEngine()) return humans[color] ? t("player.you") : t("player.engine", { level });
  return t(`color.${color}`);
}

/** True if the latest move of a colour is a pass. */
function hasPassed(color) {
  const { here } = state.game;
  const node = here.move?.[0] === color ? here : here.parent;
  return node?.move?.[0] === color && node.move[1] === "pass";
}

function updateCard(color, position) {
  const { root, name, turn, prisoners, ...parts } = cards[color];
  const taken = position.prisoners[color === "black" ? "white" : "black"];
  const playing = position.color === color && !state.game.over && !position.ended;
  write(name, playerName(color));
  if (name.title !== name.textContent) name.title = name.textContent;
  write(parts.rank, rank(state.game.settings.info[`${color}Rank`] ?? ""));
  write(prisoners, t("player.captured", { n: taken }));
  write(turn, playing ? t(state.thinking === color ? "player.thinking" : "player.turn") : hasPassed(color) ? t("player.passed") : "");
  root.classList.toggle("turn", playing);
}

/** Returns the facts of the game in one line. */
function factsText() {
  const { game } = state;
  const { size: [columns, rows], komi, rules: name, handicap } = game.settings;
  const parts = [t("facts.move", { number: game.number }), `${columns}×${rows}`, t("facts.komi", { komi }), rules(name)];
  if (handicap > 1) parts.push(t("facts.handicap", { n: handicap }));
  return parts.join(" · ");
}

/** Shows the facts, and the result, which the style sheet hides while the banner at the end of a game shows it. */
function updateFacts() {
  const { result: sgf } = state.game.settings;
  write(facts.firstChild, factsText());
  write(facts.lastChild, sgf ? ` · ${result(sgf)}` : "");
}

addPanel({
  id: "players-panel", place: "players", order: 1,
  topics: ["position", "game", "mode", "result", "clock"],
  build(root) {
    facts = make("p", { id: "facts" }, make("span"), make("span", { class: "facts-result" }));
    root.append(make("div", { id: "cards" }, card("black"), card("white")), facts);
  },
  update() {
    const { position } = state.game.here;
    for (const color of ["black", "white"]) {
      const { clock } = cards[color];
      write(clock, state.clocks?.text(color) ?? "");
      clock.classList.toggle("short", (state.clocks?.periodLeft(color) ?? 60) < 10);
      if (position) updateCard(color, position);
    }
    if (position) updateFacts();
    const title = position ? `${playerName("black")} – ${playerName("white")} · Honinbo` : "Honinbo";
    if (document.title !== title) document.title = title;
  },
});

