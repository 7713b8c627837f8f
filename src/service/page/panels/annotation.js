// Panel of the annotations of the current node: a line above the comment, and fields in the editor.

import { make, write } from "/core/dom.js";
import { changed } from "/core/store.js";
import { perform } from "/core/undo.js";
import { annotationsOf, MOVES, POSITIONS, withAnnotations } from "/game/annotations.js";
import { saveSoon } from "/game/autosave.js";
import { go } from "/game/play.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { t } from "/texts/texts.js";

let line;
let fields;
const controls = {};

/** Returns the annotations as a line of text. */
function lineOf({ name, move, position, hotspot }) {
  const kinds = [move, position, hotspot && "HO"].filter(Boolean);
  return [name, ...kinds.map((kind) => t(`annotation.${kind}`))].filter(Boolean).join(" · ");
}

/** Gives the current node the annotations in the fields. */
function store() {
  const { game, game: { here: node } } = state;
  const before = node.rest;
  const after = withAnnotations(before, {
    name: controls.name.value.trim(), move: controls.move.value, position: controls.position.value, hotspot: controls.hotspot.checked,
  });
  if (before === after) return;
  const put = (rest) => async () => {
    node.rest = rest;
    if (game !== state.game) return;
    saveSoon();
    changed("tree");
    if (game.here !== node) await go(node);
  };
  perform({ scope: game, text: "undone.annotation", quiet: true, undo: put(before), redo: put(after) });
}

function choices(id, kinds) {
  return make("select", { id }, make("option", { value: "", text: "annotation.none" }), ...kinds.map((kind) => (
    make("option", { value: kind, text: `annotation.${kind}` }))));
}

const field = (label, control) => make("label", { class: "annotation-field" }, make("span", { text: label }), control);

addPanel({
  id: "annotation-panel", tab: "game", order: 9, topics: ["position", "tree", "game", "mode"],
  build(root) {
    controls.name = make("input", { id: "annotation-name", type: "text", maxlength: 200 });
    controls.move = choices("annotation-move", MOVES);
    controls.position = choices("annotation-position", POSITIONS);
    controls.hotspot = make("input", { id: "annotation-hotspot", type: "checkbox" });
    line = make("p", { class: "annotation-line" });
    fields = make("div", { class: "annotation-fields" }, field("annotation.name", controls.name), field("annotation.move", controls.move),
      field("annotation.position", controls.position), field("annotation.HO", controls.hotspot));
    for (const control of Object.values(controls)) control.addEventListener("change", store);
    root.append(line, fields);
  },
  update() {
    const editing = state.mode === "edit";
    const annotations = annotationsOf(state.game.here);
    const text = lineOf(annotations);
    write(line, text);
    line.hidden = editing || !text;
    fields.hidden = !editing;
    line.parentElement.hidden = line.hidden && fields.hidden;
    if (!editing) return;
    for (const name of ["name", "move", "position"]) {
      if (controls[name] !== document.activeElement || name !== "name") controls[name].value = annotations[name];
    }
    controls.hotspot.checked = annotations.hotspot;
  },
});
