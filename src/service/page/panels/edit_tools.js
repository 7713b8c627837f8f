// Tools of the editor, below the board: stones, marks, lines, and the side to move.

import { make, svg } from "/core/dom.js";
import { brush, cancelEditing, finishEditing, hasNewStones, selectTool } from "/game/edit.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";

/** Tools with the symbols on their buttons, drawn in a square of 24 units. */
const TOOLS = {
  black: () => [svg("circle", { cx: 12, cy: 12, r: 8, class: "tool-stone black" })],
  white: () => [svg("circle", { cx: 12, cy: 12, r: 8, class: "tool-stone white" })],
  erase: () => [svg("path", { d: "M4 16l9-10 7 6-7 8H8zM9 11l7 6" })],
  triangle: () => [svg("path", { d: "M12 5l8 14H4z" })],
  square: () => [svg("rect", { x: 5, y: 5, width: 14, height: 14 })],
  circle: () => [svg("circle", { cx: 12, cy: 12, r: 7.5 })],
  cross: () => [svg("path", { d: "M6 6l12 12M18 6L6 18" })],
  letter: () => [svg("path", { d: "M6 19L12 5l6 14M8.3 14h7.4" })],
  number: () => [svg("path", { d: "M8.5 8.5L12.5 5v14M8.5 19h8" })],
  arrow: () => [svg("path", { d: "M5 19L19 5M10 5h9v9" })],
  line: () => [svg("path", { d: "M5 19L19 5" })],
};

let root;
let turn;
let cancel;
let edited = false;
const buttons = new Map();

function tool(name) {
  const button = make("button", { id: `edit-${name}`, type: "button", class: "edit-tool", label: `edit.${name}`, title: `edit.${name}` },
    svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, ...TOOLS[name]()));
  button.addEventListener("click", () => selectTool(name));
  buttons.set(name, button);
  return button;
}

function button(id, text, work, classes = "") {
  const made = make("button", { id, type: "button", text, class: classes });
  made.addEventListener("click", work);
  return made;
}

addPanel({
  id: "edit-tools", place: "status", order: 3, label: "edit.label", topics: ["mode", "game", "position"],
  build(panel) {
    root = panel;
    turn = make("select", { id: "edit-turn" }, make("option", { value: "black", text: "color.black" }), make("option", { value: "white", text: "color.white" }));
    turn.addEventListener("change", () => {
      brush.turn = turn.value;
    });
    cancel = button("edit-cancel", "edit.cancel", () => cancelEditing());
    root.append(make("div", { class: "edit-row" }, ...Object.keys(TOOLS).map(tool)),
      make("div", { class: "edit-row" }, make("label", { class: "edit-turn" }, make("span", { text: "edit.turn" }), turn),
        button("edit-done", "edit.done", () => finishEditing(), "main"), cancel));
  },
  update() {
    const editing = state.mode === "edit";
    if (editing && !edited) turn.value = brush.turn;
    edited = editing;
    root.hidden = !editing;
    if (!editing) return;
    for (const [name, control] of buttons) control.setAttribute("aria-pressed", name === brush.tool);
    cancel.hidden = !hasNewStones();
  },
});
