// Panel of the comment on the current node.

import { make, write } from "/core/dom.js";
import { changed } from "/core/store.js";
import { undoable } from "/core/undo.js";
import { saveSoon } from "/game/autosave.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";

let field;
let before = "";

/** Makes the change of a comment that has been typed one that can be undone. */
function confirm(node) {
  const { game } = state;
  const [old, text] = [before, node.comment];
  if (old === text) return;
  const put = (value) => () => {
    node.comment = value;
    if (game !== state.game) return;
    saveSoon();
    changed("tree", "comment");
  };
  undoable({ text: "undone.comment", quiet: true, undo: put(old), redo: put(text) });
}

addPanel({
  id: "comment-panel", tab: "game", order: 10, topics: ["position", "tree", "game"],
  build(root) {
    field = make("textarea", { id: "comment", rows: 3 });
    root.append(make("label", { class: "stacked" }, make("span", { text: "comment.label" }), field));
    // A comment belongs to the position that was shown when editing started, even if the engine moves in the meantime.
    field.addEventListener("focus", () => {
      state.commented = state.game.here;
      before = state.commented.comment;
    });
    field.addEventListener("input", () => {
      (state.commented ?? state.game.here).comment = field.value;
      saveSoon();
      changed("comment", "tree");
    });
    field.addEventListener("blur", () => {
      if (state.commented) confirm(state.commented);
      state.commented = null;
      field.value = state.game.here.comment;
    });
  },
  update() {
    // Text that the user is editing is not replaced.
    if (!state.commented && field.value !== state.game.here.comment) field.value = state.game.here.comment;
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
