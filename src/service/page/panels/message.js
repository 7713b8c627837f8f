// The message below the board, and the state of the connection.

import { byId, make, write } from "/core/dom.js";
import { message } from "/core/message.js";
import { changed, on } from "/core/store.js";
import { addPanel } from "/panels/panel.js";
import { icon } from "/core/icons.js";
import { confirmAim } from "/board/view.js";
import { state } from "/game/state.js";
import { isConnected } from "/service/service.js";
import { t } from "/texts/texts.js";

let confirm;

on(["message", "language"], () => {
  const { kind, text } = message();
  const said = byId("said");
  write(said, text());
  said.dataset.kind = kind;
});

on(["connection", "language"], () => {
  write(byId("connection"), isConnected() ? "" : t("connection.lost"));
});

// The button that plays the point a tap has aimed at.
addPanel({
  id: "confirm-panel", place: "status", order: 5, topics: ["aim"],
  build(root) {
    confirm = make("button", { id: "confirm", type: "button", class: "main" }, icon("check"), make("span", { text: "confirm.play" }));
    confirm.addEventListener("click", () => {
      confirmAim();
      changed("aim");
    });
    root.append(confirm);
  },
  update() {
    confirm.hidden = !state.aimed;
  },
});
