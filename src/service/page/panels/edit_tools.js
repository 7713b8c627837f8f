// Tools of the position editor, below the board.

import { make } from "/core/dom.js";
import { brush, cancelEditing, finishEditing } from "/game/edit.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";

let root;
let turn;
let edited = false;

const option = (value, text) => make("option", { value, text });

addPanel({
  id: "edit-tools", place: "status", order: 3, label: "edit.label", topics: ["mode", "game", "position"],
  build(panel) {
    root = panel;
    root.classList.add("row");
    const stone = make("select", { id: "edit-stone" }, option("1", "edit.black"), option("-1", "edit.white"), option("0", "edit.nothing"));
    stone.addEventListener("change", () => {
      brush.stone = Number(stone.value);
    });
    turn = make("select", { id: "edit-turn" }, option("black", "color.black"), option("white", "color.white"));
    turn.addEventListener("change", () => {
      brush.turn = turn.value;
    });
    const button = (id, text, work) => {
      const made = make("button", { id, type: "button", text });
      made.addEventListener("click", work);
      return made;
    };
    root.append(make("label", {}, make("span", { text: "edit.place" }), stone), make("label", {}, make("span", { text: "edit.turn" }), turn),
      button("edit-done", "edit.done", () => finishEditing()), button("edit-cancel", "edit.cancel", () => cancelEditing()));
  },
  update() {
    const editing = state.mode === "edit";
    if (editing && !edited) turn.value = brush.turn;
    edited = editing;
    root.hidden = !editing;
  },
});
