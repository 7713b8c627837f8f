// Panel of the comment on the current node.

import { make } from "/core/dom.js";
import { changed } from "/core/store.js";
import { save } from "/game/autosave.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";

let field;

addPanel({
  id: "comment-panel", tab: "game", order: 10, topics: ["position", "tree", "game"],
  build(root) {
    field = make("textarea", { id: "comment", rows: 3 });
    root.append(make("label", { class: "stacked" }, make("span", { text: "comment.label" }), field));
    // A comment belongs to the position that was shown when editing started, even if the engine moves in the meantime.
    field.addEventListener("focus", () => {
      state.commented = state.game.here;
    });
    field.addEventListener("input", () => {
      (state.commented ?? state.game.here).comment = field.value;
      save();
      changed("comment");
    });
    field.addEventListener("blur", () => {
      state.commented = null;
      field.value = state.game.here.comment;
    });
  },
  update() {
    // Text that the user is editing is not replaced.
    if (!state.commented && field.value !== state.game.here.comment) field.value = state.game.here.comment;
  },
});
