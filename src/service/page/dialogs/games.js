// Dialog of the user's games: those that the service stores, and those that are kept in the browser.

import { addAction } from "/core/actions.js";
import { byId, make, makeButton, write } from "/core/dom.js";
import { on } from "/core/store.js";
import { lastDone, lastUndone, redo, undo } from "/core/undo.js";
import { closeButton, createDialog, select } from "/dialogs/dialog.js";
import { attemptHere, forgetThumbnails, rowOf, say, showReviews, showThumbnails } from "/dialogs/games_rows.js";
import { clearLost, lostRows } from "/dialogs/games_lost.js";
import { download } from "/game/files.js";
import { isDescending, loadGames, matches, ORDERS, sorted } from "/game/game_list.js";
import { lostGames } from "/game/slots.js";
import { isConnected, service } from "/service/service.js";
import { t } from "/texts/texts.js";

/** Number of rows that are added to the list at a time. */
const CHUNK = 50;
/** Columns of the table; all but the last ones can be sorted. */
const COLUMNS = ["black", "white", "event", "date", "result", "board", "moves"];

let dialog;
let form;
let list;
let more;
let games = []; // all stored games, newest first
let shown = []; // games that match the search, in order
let order = "added";
let descending = true;
let opening = 0; // number of times that the dialog was opened

function filters() {
  const labelled = (name, control) => make("label", {}, make("span", { text: `games.${name}` }), control);
  const results = [["", "games.result.all"], ...["black", "white", "none", "unknown"].map((value) => [value, `games.result.${value}`])];
  const more = make("div", { class: "filters" }, labelled("from", make("input", { name: "from", type: "date" })), labelled("to", make("input", { name: "to", type: "date" })),
    labelled("result", select({ name: "winner" }, results)),
    labelled("order", select({ name: "order" }, ORDERS.map((value) => [value, `games.order.${value}`]))));
  const text = make("input", { name: "text", type: "search", label: "games.search", placeholder: "games.search.example" });
  // On phones, the filters would take the place of the games.
  const details = make("details", { open: !matchMedia("(max-width: 56rem)").matches }, make("summary", { text: "games.filters" }), more);
  return make("div", { class: "search" }, text, details);
}

function head() {
  const cells = COLUMNS.map((name) => {
    const sort = () => sortBy(name, order === name ? !descending : isDescending(name));
    const button = makeButton({ class: "plain", text: `games.column.${name}`, "data-order": name }, sort);
    return make("th", { scope: "col", class: `col-${name}` }, button);
  });
  const unseen = (text) => make("span", { class: "unseen", text });
  return make("thead", {}, make("tr", {}, make("th", { scope: "col", class: "col-picture" }, unseen("games.column.picture")), ...cells,
    make("th", { scope: "col", class: "col-actions" }, unseen("games.column.actions"))));
}

function build() {
  list = make("tbody", { id: "games-list" });
  more = make("button", { id: "games-more", type: "button", text: "games.more" });
  more.addEventListener("click", () => addRows());
  const all = make("button", { id: "games-export", type: "button", text: "games.export" });
  all.addEventListener("click", () => attemptHere(exportGames));
  const enable = () => {
    all.disabled = !isConnected();
  };
  on(["connection"], enable);
  enable();
  dialog = createDialog("games-dialog", "games.title", filters(),
    make("div", { class: "scroll", tabindex: 0, role: "group", label: "games.title" }, make("div", { id: "games-lost" }), make("table", {}, head(), list), more),
    make("p", { id: "games-said", role: "status" }),
    make("div", { class: "row spread" }, make("span", { id: "games-count" }),
      make("div", { class: "row" }, all, closeButton())));
  form = dialog.querySelector("form");
  listen();
}

/** Undoes or redoes the latest change of the stored games by the usual keys. */
function undoByKey(event) {
  const key = event.key.toLowerCase();
  if (key !== "z" && key !== "y") return;
  event.preventDefault();
  const again = key === "y" || event.shiftKey;
  const entry = again ? lastUndone("library") : lastDone("library");
  if (entry) (again ? redo : undo)(entry);
}

function listen() {
  for (const name of ["text", "from", "to", "winner"]) form[name].addEventListener("input", () => show());
  form.order.addEventListener("change", () => sortBy(form.order.value, isDescending(form.order.value)));
  form.addEventListener("keydown", (event) => {
    const typing = ["INPUT", "SELECT"].includes(event.target.tagName);
    if (event.key === "Enter" && typing) event.preventDefault();
    if (!typing && (event.ctrlKey || event.metaKey)) undoByKey(event);
  });
  new IntersectionObserver(([{ isIntersecting }]) => isIntersecting && addRows(), { root: dialog.querySelector(".scroll"), rootMargin: "200px" }).observe(more);
  on(["language"], () => {
    list.replaceChildren();
    if (dialog.open) show();
  });
  on(["review"], () => dialog.open && showReviews(shown));
  on(["lost", "language"], () => dialog.open && lostRows(byId("games-lost"), dialog));
  on(["lost"], countLost);
  on(["library"], () => dialog.open && load());
}

const filter = () => ({ text: form.text.value.trim(), from: form.from.value, to: form.to.value, winner: form.winner.value });

function sortBy(name, reverse) {
  [order, descending] = [name, reverse];
  form.order.value = name;
  show();
}

/** Shows the games that match the search. */
function show() {
  const wanted = filter();
  const before = shown;
  shown = sorted(games.filter((game) => matches(game, wanted)), order, descending);
  for (const button of dialog.querySelectorAll("[data-order]")) {
    const { order: name } = button.dataset;
    button.parentElement.setAttribute("aria-sort", name === order ? (descending ? "descending" : "ascending") : "none");
  }
  // While the list is being loaded, the rows stay.
  const same = shown.findIndex((game, index) => game !== before[index]);
  for (const row of [...list.children].slice(same < 0 ? shown.length : same)) row.remove();
  if (list.children.length < CHUNK) addRows();
  more.hidden = list.children.length >= shown.length;
  write(byId("games-count"), t("games.count", { n: shown.length, of: games.length }));
  const empty = games.length === 0 ? "games.empty" : "games.none";
  say(shown.length === 0 ? t(empty) : "");
}

/** Adds rows to the list. */
function addRows() {
  const start = list.children.length;
  const added = shown.slice(start, start + CHUNK);
  list.append(...added.map((game) => rowOf(game, dialog, removed)));
  more.hidden = list.children.length >= shown.length;
  showThumbnails(added, [...list.children].slice(start));
}

/** Takes a deleted game out of the list. */
function removed(game) {
  games = games.filter((one) => one !== game);
  const { children } = list;
  const index = shown.indexOf(game);
  shown = shown.filter((one) => one !== game);
  const next = children[index + 1] ?? children[index - 1];
  children[index]?.remove();
  (next?.querySelector(".delete") ?? form.text).focus();
  write(byId("games-count"), t("games.count", { n: shown.length, of: games.length }));
}

/** Loads the list. */
function load() {
  const current = ++opening;
  return attemptHere(() => loadGames((loaded) => {
    if (current !== opening || !dialog.open) return false;
    games = [...loaded];
    show();
    return true;
  }));
}

/** Shows on the button of the dialog how many games can be recovered. */
async function countLost() {
  const { length } = await lostGames();
  const button = byId("games");
  button.querySelector(".badge")?.remove();
  if (length > 0) button.append(make("span", { class: "badge" }, String(length)));
}

/** Downloads the games of the list as one file. */
async function exportGames() {
  const everything = shown.length === games.length;
  const { goban } = await service.ask("exportGoban", everything ? {} : { gobanIds: shown.map(({ gobanId }) => gobanId) });
  download("games.sgf", goban);
}

build();
addAction({
  id: "games", slot: "menu", order: 5, icon: "games",
  run: () => {
    clearLost(byId("games-lost"));
    dialog.showModal();
    forgetThumbnails();
    lostRows(byId("games-lost"), dialog);
    return load();
  },
});
