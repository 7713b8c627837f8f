// Panel of the comment on the current node.

import { make, write } from "/core/dom.js";
import { changed } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { saveSoon } from "/game/autosave.js";
import { go } from "/game/play.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";

let field;
/** The comment being edited, {game, node, before}, or null. It belongs to the position shown when editing started. */
let editing = null;

/** Makes the change of a comment that has been typed one that can be undone. */
function confirm({ game, node, before }) {
  const text = node.comment;
  if (before === text) return;
  const put = (value) => async () => {
    node.comment = value;
    if (game !== state.game) return;
    saveSoon();
    changed("tree", "comment");
    if (game.here !== node) await go(node);
  };
  undoable({ scope: game, text: "undone.comment", quiet: true, undo: put(before), redo: put(text) });
}

addPanel({
  id: "comment-panel", tab: "game", order: 10, topics: ["position", "tree", "game"],
  build(root) {
    field = make("textarea", { id: "comment", rows: 3 });
    root.append(make("label", { class: "stacked" }, make("span", { text: "comment.label" }), field));
    field.addEventListener("focus", () => {
      const { game, game: { here: node } } = state;
      editing = { game, node, before: node.comment };
    });
    field.addEventListener("input", () => {
      (editing?.node ?? state.game.here).comment = field.value;
      saveSoon();
      changed("comment", "tree");
    });
    field.addEventListener("blur", () => {
      if (editing) confirm(editing);
      editing = null;
      field.value = state.game.here.comment;
    });
  },
  update() {
    if (editing && editing.game !== state.game) field.blur();
    // Text that the user is editing is not replaced.
    if (!editing && field.value !== state.game.here.comment) field.value = state.game.here.comment;
  },
});

// Beside the tree, the comment can be read.
let text;

addPanel({
  id: "comment-text", tab: "tree", order: 15, topics: ["position", "tree", "game"],
  build(root) {
    text = make("p", { class: "comment-text", tabindex: 0, role: "note", label: "comment.label" });
    root.append(text);
  },
  update() {
    const { comment } = state.game.here;
    write(text, comment);
    text.parentElement.hidden = !comment;
  },
});
