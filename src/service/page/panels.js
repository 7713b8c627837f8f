// Panels next to the board: players, evaluation, analysed moves, variations, and the state of the buttons.

const byId = (id) => document.getElementById(id);
/** Formats a fraction as a whole percentage. */
export const percent = (share) => `${(100 * share).toFixed(0)}%`;

/** Formats a number with its sign and one decimal. */
const signed = (number) => `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(1)}`;

/** Formats a lead in points, positive for Black, as text. */
export function leadText(lead) {
  if (Math.abs(lead) < 0.05) return "the score is even";
  return lead > 0 ? `Black leads by ${lead.toFixed(1)}` : `White leads by ${(-lead).toFixed(1)}`;
}

/** Creates an HTML element. */
export function make(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/** Shows the players, their prisoners, the side to move, and the facts of the game. */
export function showPlayers(game, stand) {
  for (const color of ["black", "white"]) {
    const box = byId(`${color}-player`);
    const taken = stand.prisoners[color === "black" ? "white" : "black"];
    box.querySelector(".name").textContent = game.settings[color] || (color === "black" ? "Black" : "White");
    box.querySelector(".prisoners").textContent = `${taken} captured`;
    box.classList.toggle("turn", stand.color === color);
  }
  const { size: [columns, rows], komi, rules, handicap, result } = game.settings;
  const facts = [`Move ${game.number}`, `${columns}×${rows}`, `komi ${komi}`, rules];
  if (handicap > 1) facts.push(`handicap ${handicap}`);
  if (result) facts.push(`result ${result}`);
  byId("facts").textContent = facts.join(" · ");
}

export function showClock(color, text) {
  byId(`${color}-player`).querySelector(".clock").textContent = text;
}

/** Shows the evaluation of the position, {winrate, lead}, if there is one. */
export function showValue(value) {
  byId("value").textContent = value
    ? `Black has a win rate of ${percent(value.winrate)}; ${leadText(value.lead)}.` : "";
}

/**
 * Sets up the list of analysed moves. Calls `hover(index)` for the row under the pointer or with the focus (null if
 * none), and `play(index)` for the chosen row. On touch screens the first tap hovers and a second tap on the same row
 * plays.
 */
export function prepareMoves(hover, play) {
  const list = byId("moves");
  const index = ({ target }) => [...list.children].indexOf(target.closest("tr"));
  let touched = null;
  list.addEventListener("pointerdown", (event) => {
    touched = event.pointerType === "mouse" ? null : { again: index(event) === touched?.at, at: index(event) };
  });
  list.addEventListener("pointerover", (event) => event.pointerType === "mouse" && hover(index(event)));
  list.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hover(null));
  list.addEventListener("focusin", (event) => hover(index(event)));
  list.addEventListener("focusout", () => hover(null));
  list.addEventListener("click", (event) => (!touched || touched.again ? play(index(event)) : hover(index(event))));
  list.addEventListener("keydown", (event) => event.key === "Enter" && play(index(event)));
}

/** Shows the analysed moves. Reuses the rows, so that hover and focus survive updates. */
export function showMoves(analysis) {
  byId("analysis").hidden = !analysis;
  const moves = (analysis?.moves ?? []).filter(({ visits }) => visits > 0);
  const list = byId("moves");
  while (list.children.length > moves.length) list.lastChild.remove();
  while (list.children.length < moves.length) {
    const row = make("tr", undefined, { tabindex: 0 });
    row.append(...["td", "td", "td", "td"].map((name) => make(name)));
    list.append(row);
  }
  moves.forEach((move, index) => {
    const row = list.children[index];
    row.setAttribute("aria-label", `${move.vertex}, ${percent(move.winrate)}, line ${move.pv.join(" ")}`);
    const texts = [move.vertex, percent(move.winrate), signed(move.scoreLead), move.visits];
    texts.forEach((text, column) => {
      row.children[column].textContent = text;
    });
  });
}

/** Shows buttons for the siblings and the children of the current node. */
export function showVariations(game, go) {
  const name = (node) => (node.move ? node.move[1] : node.setUp || node.changes ? "set up" : "start");
  const { here } = game;
  const beside = here.parent && here.parent.children.length > 1 ? here.parent.children : [];
  const buttons = (nodes, kind) => nodes.map((node) => {
    const button = make("button", `${kind} ${name(node)}`);
    if (node === here) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => go(node));
    return button;
  });
  const list = byId("variations");
  const focused = list.contains(document.activeElement);
  list.replaceChildren(...buttons(beside, "or"), ...buttons(here.children, "then"));
  // The pressed button has been replaced. Keyboard users continue from the current node's button, or from Back.
  if (focused) (list.querySelector("[aria-current]") ?? list.firstChild ?? byId("back")).focus();
  byId("remove").disabled = !here.parent;
}

/** Updates which buttons are enabled and which appear pressed. */
export function showButtons({ game, mode, analysing, busy, mayPass, resigner }) {
  const { here, over } = game;
  const on = { first: here.parent, back: here.parent, undo: here.parent || over, forward: here.children.length, last: here.children.length };
  for (const [id, able] of Object.entries(on)) byId(id).disabled = !able;
  const able = { pass: mayPass, move: true, resign: resigner };
  for (const [id, may] of Object.entries(able)) byId(id).disabled = mode !== "play" || busy || !may;
  // A move that arrives in another mode would be lost, so the mode cannot change during a request.
  for (const id of ["score", "edit"]) byId(id).disabled = Boolean(busy);
  byId("score").setAttribute("aria-pressed", mode === "score");
  byId("edit").setAttribute("aria-pressed", mode === "edit");
  byId("analyse").setAttribute("aria-pressed", analysing);
  byId("edit-tools").hidden = mode !== "edit";
}
