// Dialog of the games stored by the service.

import { addAction } from "/core/actions.js";
import { byId, make, write } from "/core/dom.js";
import { on } from "/core/store.js";
import { createDialog } from "/dialogs/dialog.js";
import { openStored } from "/game/begin.js";
import { download } from "/game/files.js";
import { reviewProgress, reviewStored } from "/game/review.js";
import { service } from "/service/service.js";
import { errorText } from "/texts/errors.js";
import { date as dateText, number, t } from "/texts/texts.js";

/** Interval, in positions, at which the progress of a review is announced to screen readers. */
const ANNOUNCED = 10;
const FILTERS = ["player", "from", "to", "result", "size"];

let dialog;
let form;
let next; // `before` of the next page, null at the end
let asked; // latest request, which supersedes earlier ones
let shown = []; // games of the list
let controls = []; // buttons that review the games of the list: {game, players, control, announced}

function build() {
  const input = (name) => make("label", {}, make("span", { text: `games.${name}` }), make("input", { name, placeholder: `games.${name}.example` }));
  const button = (id, text, work) => {
    const made = make("button", { id, type: "button", text });
    made.addEventListener("click", work);
    return made;
  };
  const heads = ["black", "white", "date", "result", "board", "moves"].map((name) => make("th", { scope: "col", text: `games.column.${name}` }));
  const more = button("games-more", "games.more", () => page());
  more.hidden = true;
  dialog = createDialog("games-dialog", "games.title",
    make("div", { class: "row filters" }, ...FILTERS.map(input), button("games-search", "games.search", () => search())),
    make("div", { class: "scroll" }, make("table", {},
      make("thead", {}, make("tr", {}, ...heads, make("th", { scope: "col" }, make("span", { class: "unseen", text: "games.column.actions" })))),
      make("tbody", { id: "games-list" }))),
    make("p", { id: "games-said", role: "status" }),
    make("div", { class: "row" }, more, button("games-export", "games.export", () => attempt(async () => {
      const { goban } = await service.ask("exportGoban", filter());
      download("games.sgf", goban);
    })), make("button", { value: "cancel", text: "dialog.close" })));
  form = dialog.querySelector("form");
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    search();
  });
  on(["language"], () => {
    controls = [];
    if (dialog.open) byId("games-list").replaceChildren(...shown.map(row));
  });
  on(["review"], () => dialog.open && updateProgress());
}

const say = (text) => write(byId("games-said"), text);

/** Runs `work` and shows its error, if any, in the dialog. */
async function attempt(work) {
  say("");
  try {
    await work();
  } catch (error) {
    say(error.code ? errorText(error) : error.message);
  }
}

/** Returns the search fields as a filter for the service. Throws if the board size is invalid. */
function filter() {
  const fields = {};
  for (const name of ["player", "from", "to", "result"]) {
    if (form[name].value.trim()) fields[name] = form[name].value.trim();
  }
  const size = form.size.value.trim();
  if (!size) return fields;
  if (!/^\d+(\s*[x:×]\s*\d+)?$/i.test(size)) throw new Error(t("games.wrongSize", { text: size }));
  const sides = size.match(/\d+/g).map(Number);
  fields.size = sides.length === 1 ? sides[0] : sides;
  return fields;
}

function search() {
  byId("games-list").replaceChildren();
  shown = [];
  controls = [];
  next = undefined;
  return page();
}

/** Loads the next page of the list. */
function page() {
  return attempt(async () => {
    const request = asked = { ...filter(), ...(next === undefined ? {} : { before: next }) };
    const response = await service.ask("listGoban", request);
    // A later search supersedes this one.
    if (request !== asked) return;
    shown.push(...response.games);
    byId("games-list").append(...response.games.map(row));
    next = response.next;
    byId("games-more").hidden = next === null;
    if (shown.length === 0) say(t("games.none"));
  });
}

function row(game) {
  const { gobanId, black, white, date, result, size, moves } = game;
  const cells = [black || "–", white || "–", dateText(date), result, size.join("×"), number(moves)].map((text) => make("td", {}, text));
  const players = `${black || "–"} – ${white || "–"}${date ? `, ${date}` : ""}`;
  const buttons = make("td", { class: "actions" });
  const made = make("tr", {}, ...cells, buttons);
  const button = (text, work) => {
    const control = make("button", { type: "button" });
    name(control, t(text), players);
    control.addEventListener("click", () => attempt(work));
    buttons.append(control);
    return control;
  };
  button("games.open", async () => {
    await openStored(gobanId);
    dialog.close();
  });
  controls.push({ game, players, announced: -ANNOUNCED, control: button("games.review", () => review(game, players)) });
  updateProgress();
  button("games.delete", async () => {
    await service.ask("deleteGoban", { gobanId });
    shown = shown.filter((one) => one !== game);
    made.remove();
  });
  return made;
}

/** Sets the text of a button, and its name with the game that it belongs to. */
function name(control, text, players) {
  control.textContent = text;
  control.setAttribute("aria-label", `${text}: ${players}`);
}

/** Has the service review a game. The review goes on when the dialog is closed. */
async function review(game, players) {
  try {
    if (!(await reviewStored(game.gobanId))) return;
    game.reviewed = true;
    say(t("games.reviewedGame", { players }));
  } finally {
    updateProgress();
  }
}

/** Shows the progress of the running reviews on their buttons. */
function updateProgress() {
  for (const entry of controls) {
    const { game, control, players } = entry;
    const progress = reviewProgress(game.gobanId);
    const { positions = 0, of } = progress ?? {};
    control.disabled = Boolean(progress);
    if (!progress) entry.announced = -ANNOUNCED;
    if (!progress) name(control, t(game.reviewed ? "games.reviewed" : "games.review"), players);
    else name(control, of ? t("games.progress", { number: positions, of }) : t("review.starting"), players);
    // Announced to screen readers only at intervals.
    if (!of || positions - entry.announced < ANNOUNCED) continue;
    entry.announced = positions;
    say(t("games.reviewing", { number: positions, of, players }));
  }
}

build();
addAction({
  id: "games", slot: "menu", order: 5, icon: "games",
  run: () => {
    dialog.showModal();
    return search();
  },
});
