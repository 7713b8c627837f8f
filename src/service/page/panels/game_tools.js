// Panel of the game's information, and buttons for copying, pasting and sharing the game.

import { make } from "/core/dom.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { actionButton } from "/panels/toolbar.js";
import { date } from "/texts/texts.js";

const ACTIONS = ["info", "copy", "paste", "share"];
const COLLECTION = ["previous-game", "collection", "next-game"];
let title;
let details;

addPanel({
  id: "game-tools", tab: "game", order: 5, label: "info.title", topics: ["game", "info"],
  build(root) {
    title = make("p", { class: "info-title" });
    details = make("p", { class: "info-details" });
    root.append(make("div", { class: "tools" }, ...COLLECTION.map((id) => actionButton(id))), title, details, make("div", { class: "tools" }, ...ACTIONS.map((id) => actionButton(id))));
  },
  update() {
    const { info, date: day } = state.game.settings;
    title.textContent = [info.event, info.round, info.name].filter(Boolean).join(" · ");
    details.textContent = [day && date(day), info.place, info.comment].filter(Boolean).join(" · ");
    title.hidden = !title.textContent;
    details.hidden = !details.textContent;
  },
});
