// Banner at the end of a game: the result, and what to do next.

import { addAction, run } from "/core/actions.js";
import { make, makeButton, write } from "/core/dom.js";
import { rematch } from "/game/begin.js";
import { canCount } from "/game/play.js";
import { state } from "/game/state.js";
import { icon } from "/core/icons.js";
import { isConnected } from "/service/service.js";
import { addPanel } from "/panels/panel.js";
import { actionButton } from "/panels/toolbar.js";
import { result } from "/texts/texts.js";

/** Actions with a button in the banner, in order; those that do not exist are left out. */
const ACTIONS = ["review", "count", "rematch", "keep", "save-file"];
let text;
let root;
let closed = null; // game whose banner has been closed

addAction({ id: "rematch", icon: "rematch", enabled: () => state.game.over, run: () => rematch() });
addAction({
  id: "count", icon: "score", enabled: () => !state.busy && state.mode !== "edit" && isConnected(), visible: canCount, pressed: () => state.mode === "score",
  run: () => run("score"),
});

addPanel({
  id: "result", place: "status", order: 30, label: "result.label", topics: ["result", "game", "position", "mode"],
  build(panel) {
    root = panel;
    text = make("h2", { id: "result-text" });
    const close = makeButton({ class: "plain", label: "dialog.close" }, () => {
      closed = state.game;
      root.hidden = true;
    }, icon("close"));
    root.append(make("div", { class: "row spread" }, text, close),
      make("div", { class: "row result-actions" }, ...ACTIONS.map((id) => actionButton(id, `result-${id}`))));
  },
  update() {
    const { game } = state;
    root.hidden = !game.over || closed === game || state.mode === "edit";
    if (game.over) write(text, result(game.settings.result));
    else if (closed === game) closed = null;
  },
});
