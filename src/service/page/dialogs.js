// Dialogs for a new game, the games stored by the service, and the access token.

import { make } from "/panels.js";

const byId = (id) => document.getElementById(id);
/** Resolves once the handicaps that fit the selected board are known. */
let checked = Promise.resolve();
/** Komi of handicap games. */
const HANDICAP_KOMI = 0.5;
/** Interval, in positions, at which the progress of a review is announced to screen readers. */
const TOLD = 10;

const option = (value, text = value) => make("option", text, { value });

/** Returns [columns, rows] from the new-game dialog. */
function sides(form) {
  const names = form.size.value === "other" ? ["columns", "rows"] : ["size", "size"];
  return names.map((name) => Number(form[name].value));
}

/**
 * Fills the new-game dialog with the levels and rule sets of the service. `places(size)` resolves to the maximum number
 * of handicap stones on a board.
 */
export function prepareNew({ levels, rules }, places) {
  const form = byId("new-dialog").querySelector("form");
  form.level.append(...levels.map((name, index) => option(index + 1, `${index + 1}, ${name}`)));
  form.level.value = 5;
  form.handicap.append(option(0, "none"), ...[2, 3, 4, 5, 6, 7, 8, 9].map((stones) => option(stones)));
  form.rules.append(...rules.map(({ name }) => option(name)));
  form.rules.value = "chinese-ogs";
  const komi = () => {
    const usual = rules.find(({ name }) => name === form.rules.value).komi;
    form.komi.value = form.handicap.value > 0 ? HANDICAP_KOMI : usual;
  };
  form.rules.addEventListener("change", komi);
  form.handicap.addEventListener("change", komi);
  const board = async () => {
    const named = form.size.value !== "other";
    byId("other-size").hidden = named;
    // Invalid values in hidden fields must not prevent the dialog from closing.
    for (const name of ["columns", "rows"]) form[name].disabled = named;
    if (!named && !(form.columns.validity.valid && form.rows.validity.valid)) return;
    const most = await places(sides(form));
    for (const choice of form.handicap.options) choice.disabled = Number(choice.value) > most;
    if (!form.handicap.selectedOptions[0].disabled) return;
    form.handicap.value = 0;
    komi();
  };
  for (const name of ["size", "columns", "rows"]) form[name].addEventListener("change", () => { checked = board(); });
}

/** Opens a dialog and waits until it is closed. Resolves to true if its main button was pressed. */
function closed(dialog) {
  dialog.returnValue = "cancel";
  dialog.showModal();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "start"), { once: true });
  });
}

/** Opens the new-game dialog. Resolves to the settings of the game, or to null if cancelled. */
export async function askNew() {
  const dialog = byId("new-dialog");
  if (!await closed(dialog)) return null;
  await checked;
  const form = dialog.querySelector("form");
  const number = (name) => Number(form[name].value);
  return {
    seat: form.seat.value, level: number("level"), size: sides(form), handicap: number("handicap"),
    rules: form.rules.value, komi: number("komi"),
    clock: { minutes: number("minutes"), periods: number("periods"), seconds: number("seconds") },
  };
}

/** Opens the token dialog and resolves to the token entered. `wrong`: the service rejected the previous token. */
export async function askToken(wrong) {
  const dialog = byId("token-dialog");
  const { token } = dialog.querySelector("form");
  token.value = "";
  byId("token-said").textContent = wrong ? "The token is wrong." : "";
  await closed(dialog);
  return token.value;
}

/** Offers an SGF text to the user as a file download. */
export function download(name, text) {
  const link = make("a", "", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/x-go-sgf" })) });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Dialog of the games stored by the service. `load(id)` opens a game on the board. */
export class Games {
  constructor(service, load) {
    this.service = service;
    this.load = load;
    this.dialog = byId("games-dialog");
    this.form = this.dialog.querySelector("form");
    byId("games-search").addEventListener("click", () => this.search());
    byId("games-more").addEventListener("click", () => this.#page());
    byId("games-export").addEventListener("click", () => this.#try(async () => {
      const { goban } = await this.service.ask("exportGoban", this.#filter());
      download("games.sgf", goban);
    }));
    this.form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
      event.preventDefault();
      this.search();
    });
  }

  open() {
    this.dialog.showModal();
    return this.search();
  }

  search() {
    byId("games-list").replaceChildren();
    this.next = undefined;
    return this.#page();
  }

  /** Runs `work` and shows its error, if any, in the dialog. */
  async #try(work) {
    byId("games-said").textContent = "";
    try {
      await work();
    } catch (error) {
      byId("games-said").textContent = error.message;
    }
  }

  /** Returns the search fields as a filter for the service. Throws if the board size is invalid. */
  #filter() {
    const filter = {};
    for (const name of ["player", "from", "to", "result"]) {
      if (this.form[name].value.trim()) filter[name] = this.form[name].value.trim();
    }
    const size = this.form.size.value.trim();
    if (!size) return filter;
    if (!/^\d+(\s*[x:×]\s*\d+)?$/i.test(size)) throw new Error(`Expected a board such as 19 or 9×13, not “${size}”.`);
    const sides = size.match(/\d+/g).map(Number);
    filter.size = sides.length === 1 ? sides[0] : sides;
    return filter;
  }

  /** Loads the next page of the list. */
  #page() {
    return this.#try(async () => {
      const page = this.next === undefined ? {} : { before: this.next };
      const asked = this.asked = { ...this.#filter(), ...page };
      const { games, next } = await this.service.ask("listGoban", asked);
      // A later search supersedes this one.
      if (asked !== this.asked) return;
      byId("games-list").append(...games.map((game) => this.#row(game)));
      this.next = next;
      byId("games-more").hidden = next === null;
      if (byId("games-list").children.length === 0) byId("games-said").textContent = "No games match the search.";
    });
  }

  #row({ gobanId, black, white, date, result, size, moves, reviewed }) {
    const row = make("tr");
    for (const text of [black || "–", white || "–", date, result, size.join("×"), moves]) row.append(make("td", text));
    const cell = make("td");
    const players = `${black || "–"} against ${white || "–"}${date ? `, ${date}` : ""}`;
    const name = (made, text) => {
      made.textContent = text;
      made.setAttribute("aria-label", `${text}: ${players}`);
    };
    const button = (text, work) => {
      const made = make("button", undefined, { type: "button" });
      name(made, text);
      made.addEventListener("click", () => this.#try(() => work(made)));
      cell.append(made);
    };
    button("Open", async () => {
      await this.load(gobanId);
      this.dialog.close();
    });
    button(reviewed ? "Reviewed" : "Review", async (made) => {
      const before = made.textContent;
      made.disabled = true;
      const heard = ({ positions, of }) => {
        name(made, `${positions} of ${of}`);
        // Announced to screen readers only at intervals.
        if (positions % TOLD === 1) byId("games-said").textContent = `Reviewing, ${positions} of ${of}: ${players}`;
      };
      try {
        await this.service.ask("reviewGoban", { gobanId, stream: true }, { heard });
        name(made, "Reviewed");
        byId("games-said").textContent = `Reviewed: ${players}`;
      } catch (error) {
        // The review can be retried.
        name(made, before);
        made.disabled = false;
        throw error;
      }
    });
    button("Delete", async () => {
      await this.service.ask("deleteGoban", { gobanId });
      row.remove();
    });
    row.append(cell);
    return row;
  }
}
