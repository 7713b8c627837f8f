// Slider through the moves of the current line, above the navigation buttons.

import { make } from "/core/dom.js";
import { seek } from "/game/navigation.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { t } from "/texts/texts.js";

let root;
let slider;
let line = [];

addPanel({
  id: "slider-panel", place: "status", order: 20, topics: ["position", "tree", "game", "mode"],
  build(panel) {
    root = panel;
    slider = make("input", { id: "slider", type: "range", min: 0, step: 1, label: "slider.label" });
    slider.addEventListener("input", () => {
      const node = line[Number(slider.value)];
      if (node) seek(node);
    });
    root.append(slider);
  },
  update() {
    const { game } = state;
    // The tools of the editor take its place.
    root.hidden = state.mode === "edit";
    line = game.line();
    const index = line.indexOf(game.here);
    slider.max = String(Math.max(line.length - 1, 1));
    slider.disabled = line.length < 2;
    if (Number(slider.value) !== index && !slider.matches(":active")) slider.value = String(index);
    slider.setAttribute("aria-valuetext", t("facts.move", { number: game.number }));
  },
});
