// Dialog of the information about the game, as in SGF.

import { addAction } from "/core/actions.js";
import { make } from "/core/dom.js";
import { changed } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { confirmRow, createDialog, field, opened, select } from "/dialogs/dialog.js";
import { analyse, show } from "/game/play.js";
import { state } from "/game/state.js";
import { TABLES, rules as rulesName } from "/texts/texts.js";

/** Fields of the settings, and of their `info`, in groups. */
const GROUPS = [
  ["info.players", ["black", "blackRank", "blackTeam", "white", "whiteRank", "whiteTeam"]],
  ["info.game", ["name", "event", "round", "date", "place", "result"]],
  ["info.rules.group", ["rules", "komi", "handicap", "time", "overtime"]],
  ["info.record", ["opening", "source", "user", "annotator", "copyright"]],
];
/** Fields that belong to the settings; all others belong to `info`. */
const SETTINGS = ["black", "white", "date", "result", "rules", "komi", "handicap"];
/** Fields on which positions and their values depend. */
const PLAY = ["rules", "komi", "handicap"];
const RULES = Object.keys(TABLES.en).filter((key) => key.startsWith("rules.")).map((key) => key.slice(6));

let dialog = null;
let form;

function control(name) {
  if (name === "rules") return select({ name }, RULES.map((value) => [value, `rules.${value}`]));
  if (name === "komi") return make("input", { name, type: "number", min: -400, max: 400, step: 0.5, required: true });
  if (name === "handicap") return make("input", { name, type: "number", min: 0, max: 361, step: 1, required: true });
  if (name === "date") return make("input", { name, placeholder: "info.date.example" });
  if (name === "result") return make("input", { name, placeholder: "info.result.example" });
  return make("input", { name });
}

function build() {
  const boxes = GROUPS.map(([legend, names]) => (
    make("fieldset", {}, make("legend", { text: legend }), ...names.map((name) => field(`info.${name}`, control(name))))));
  dialog = createDialog("info-dialog", "info.title", make("div", { class: "info-groups" }, ...boxes),
    make("label", { class: "stacked" }, make("span", { text: "info.comment" }), make("textarea", { name: "comment", rows: 4 })),
    confirmRow("info.save"));
  form = dialog.querySelector("form");
}

/** Names of all fields. */
const names = () => [...GROUPS.flatMap(([, list]) => list), "comment"];

/** Fills the form. */
function fill({ settings }) {
  for (const name of names()) form.elements[name].value = String((SETTINGS.includes(name) ? settings : settings.info)[name] ?? "");
  if (form.elements.rules.selectedIndex >= 0) return;
  // Rules without a name are described by the service.
  form.elements.rules.append(make("option", { value: settings.rules }, rulesName(settings.rules)));
  form.elements.rules.value = settings.rules;
}

/** Returns the settings of a game with the values of the form. */
function edited({ settings }) {
  const after = { ...settings, info: { ...settings.info } };
  for (const name of names()) {
    const { value } = form.elements[name];
    if (name === "komi" || name === "handicap") after[name] = Number(value);
    else if (SETTINGS.includes(name)) after[name] = value.trim();
    else after.info[name] = value.trim();
  }
  // The file's own name of the rules is kept if they are the same.
  if (after.rules !== settings.rules) after.named = after.rules;
  return after;
}

/** Sets the settings of a game. What is known about its positions is forgotten if they may differ. */
async function apply(game, settings) {
  const differs = PLAY.some((name) => game.settings[name] !== settings[name]);
  game.settings = settings;
  if (differs) {
    const open = [game.root];
    while (open.length > 0) {
      const node = open.pop();
      Object.assign(node, { position: null, value: null, analysis: null });
      open.push(...node.children);
    }
  }
  if (game !== state.game) return;
  changed("info", "result", "language");
  await show();
  if (differs) analyse();
}

addAction({
  id: "info", group: "menu", icon: "info", keys: ["i"],
  run: async () => {
    if (!dialog) build();
    const { game } = state;
    fill(game);
    if (!await opened(dialog) || game !== state.game) return;
    const [before, after] = [game.settings, edited(game)];
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    await apply(game, after);
    undoable({ scope: game, text: "undone.info", undo: () => apply(game, before), redo: () => apply(game, after) });
  },
});
