// Dialog for a new game. It remembers its settings.

import { addAction } from "/core/actions.js";
import { make, write } from "/core/dom.js";
import { icon } from "/core/icons.js";
import { changed, on } from "/core/store.js";
import { recall, remember } from "/core/storage.js";
import { focusBoard } from "/board/view.js";
import { choice, confirmRow, createDialog, field, opened } from "/dialogs/dialog.js";
import { begin } from "/game/begin.js";
import { usualRules } from "/game/usual_rules.js";
import { attempt, isConnected, onReconnected, service } from "/service/service.js";
import { rules as rulesName, t } from "/texts/texts.js";

const KEY = "honinbo-new-game";
/** Key of the levels and rule sets of the service, for games without it. */
const CHOICES = "honinbo-choices";
/** Komi of handicap games. */
const HANDICAP_KOMI = 0.5;
/** Fields of the form that are remembered. */
const FIELDS = ["seat", "level", "size", "columns", "rows", "handicap", "rules", "komi", "minutes", "periods", "seconds"];

let dialog;
let form;
let ruleSets = null; // rule sets of the service with their usual komi, once known
/** Resolves once the handicaps that fit the selected board are known. */
let checked = Promise.resolve();

const number = (name, min, max, value, label, step = 1) => make("input", { name, type: "number", min, max, step, value, label, required: true });

/** Returns [columns, rows] of the form. */
function sides() {
  const names = form.size.value === "other" ? ["columns", "rows"] : ["size", "size"];
  return names.map((name) => Number(form[name].value));
}

const stone = (color) => make("span", { class: `dot-stone ${color}`, "aria-hidden": "true" });

/** Creates a field whose control has several parts. */
const group = (text, ...controls) => make("div", { class: "field" }, make("span", { text }), ...controls);

function build() {
  const columns = number("columns", 2, 19, 9, "new.columns");
  const rows = number("rows", 2, 19, 13, "new.rows");
  dialog = createDialog("new-dialog", "new.title",
    choice("seat", "new.seat", [["black", "new.seat.black", null, stone("black")], ["white", "new.seat.white", null, stone("white")],
      ["both", "new.seat.both", null, stone("black"), stone("white")], ["none", "new.seat.none", null, icon("engine")]]),
    make("label", { class: "level" }, make("span", { text: "new.level" }), make("output", {}), make("input", { name: "level", type: "range", min: 1, max: 10, step: 1 })),
    group("new.size", choice("size", "new.size", [[9, null, "9×9"], [13, null, "13×13"], [19, null, "19×19"], ["other", "new.size.other"]])),
    make("div", { id: "other-size", class: "field", hidden: true }, make("span", { text: "new.otherSize" }), make("span", {}, columns, " × ", rows)),
    field("new.rules", make("select", { name: "rules" })),
    make("div", { class: "pair" }, field("new.handicap", make("select", { name: "handicap" })), field("new.komi", number("komi", -400, 400, 7.5, undefined, 0.5))),
    make("fieldset", {}, make("legend", { text: "new.clock" }), field("new.minutes", number("minutes", 0, 600, 0)),
      group("new.byoyomi", make("span", {}, number("periods", 0, 50, 0, "new.periods"), " × ", number("seconds", 1, 600, 30, "new.seconds"))),
      make("p", { id: "clock-note", text: "new.noClock" })),
    confirmRow("new.start"));
  form = dialog.querySelector("form");
  form.seat.value = "black";
  form.size.value = "19";
  form.addEventListener("change", ({ target: { name } }) => {
    if (["rules", "handicap"].includes(name)) usualKomi();
    if (["size", "columns", "rows"].includes(name)) checked = checkSize();
  });
  form.addEventListener("input", ({ target: { name } }) => {
    if (["minutes", "periods"].includes(name)) noteClock();
    if (name === "level") nameLevel();
  });
  on(["language"], () => {
    if (ruleSets && !recall("local", KEY)) presetRules();
    names();
  });
}

/** Selects the usual rules of the language. */
function presetRules() {
  form.rules.value = usualRules().rules;
  usualKomi();
}

/** Sets the usual komi of the selected rules and handicap. */
function usualKomi() {
  const usual = ruleSets?.find(({ name }) => name === form.rules.value)?.komi ?? 7.5;
  form.komi.value = form.handicap.value > 0 ? HANDICAP_KOMI : usual;
}

function noteClock() {
  dialog.querySelector("#clock-note").hidden = Number(form.minutes.value) > 0 || Number(form.periods.value) > 0;
}

/** Shows the fields of other sizes, and disables handicaps that do not fit. */
async function checkSize() {
  const named = form.size.value !== "other";
  dialog.querySelector("#other-size").hidden = named;
  // Invalid values in hidden fields must not prevent the dialog from closing.
  for (const name of ["columns", "rows"]) form[name].disabled = named;
  if (!named && !(form.columns.validity.valid && form.rows.validity.valid)) return;
  // The points of handicap stones come from the service.
  const limit = isConnected() ? (await attempt(() => service.ask("handicap", { size: sides() })))?.most ?? 0 : 0;
  for (const choice of form.handicap.options) choice.disabled = Number(choice.value) > limit;
  if (!form.handicap.selectedOptions[0]?.disabled) return;
  form.handicap.value = 0;
  usualKomi();
}

function nameLevel() {
  const { value } = form.level;
  const name = t("level.name", { n: Number(value), name: t(`level.${value}`) });
  write(dialog.querySelector("output"), name);
  form.level.setAttribute("aria-valuetext", name);
}

/** Writes the names of the level, handicaps and rules in the current language. */
function names() {
  if (!ruleSets) return;
  nameLevel();
  for (const option of form.rules.options) option.textContent = rulesName(option.value);
  for (const option of form.handicap.options) {
    option.textContent = option.value === "0" ? t("new.handicap.none") : t("new.handicap.stones", { n: Number(option.value) });
  }
}

/** Resolves to the levels and rule sets of the service, or to those of the last visit if it cannot be reached. */
async function choices() {
  try {
    const { levels, rules } = await service.ask("version");
    remember("local", CHOICES, JSON.stringify({ levels, rules }));
    return { levels, rules };
  } catch (error) {
    const known = recall("local", CHOICES);
    if (error.code !== "closing" || !known) throw error;
    return JSON.parse(known);
  }
}

/** Fills the dialog with the levels and rule sets of the service, and with the settings of the last game. */
async function fill() {
  if (ruleSets) return;
  const { levels, rules } = await choices();
  const option = (value) => make("option", { value });
  form.level.max = levels.length;
  form.handicap.append(...[0, 2, 3, 4, 5, 6, 7, 8, 9].map(option));
  form.rules.append(...rules.map(({ name }) => option(name)));
  ruleSets = rules;
  form.level.value = 5;
  presetRules();
  restore();
  names();
  changed("mode");
}

function restore() {
  try {
    const last = JSON.parse(recall("local", KEY)) ?? {};
    for (const name of FIELDS) {
      if (!(name in last)) continue;
      const before = form[name].value;
      form[name].value = last[name];
      // A value that the service no longer offers.
      if (form[name].tagName === "SELECT" && form[name].selectedIndex < 0) form[name].value = before;
    }
  } catch {
    // Unusable data is ignored.
  }
  noteClock();
}

/** Opens the dialog. Resolves to the settings of the game, or to null if it was cancelled. */
async function askNew() {
  checked = checkSize();
  if (!await opened(dialog)) return null;
  await checked;
  remember("local", KEY, JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, form[name].value]))));
  const value = (name) => Number(form[name].value);
  return {
    seat: form.seat.value, level: value("level"), size: sides(), handicap: value("handicap"), rules: form.rules.value, komi: value("komi"),
    clock: { minutes: value("minutes"), periods: value("periods"), seconds: value("seconds") },
  };
}

build();
attempt(fill);
onReconnected(() => attempt(fill));
addAction({
  id: "new", slot: "menu", order: 1, icon: "new", keys: ["n"], enabled: () => ruleSets !== null,
  run: () => attempt(async () => {
    const chosen = await askNew();
    if (!chosen) return;
    focusBoard();
    await begin(chosen);
  }),
});
