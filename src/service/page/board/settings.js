// Settings of the board and of the appearance of the page.

import { addSetting, settings } from "/core/settings.js";
import { changed, on } from "/core/store.js";
import { pointName } from "/game/geometry.js";
import { state } from "/game/state.js";
import { setVertexText } from "/texts/texts.js";

addSetting({ id: "scheme", group: "appearance", kind: "choice", value: "system", choices: ["system", "light", "dark"] });
addSetting({ id: "theme", group: "appearance", kind: "choice", value: "wood", choices: ["wood", "kaya", "walnut", "paper", "night"] });
addSetting({ id: "natural", group: "board", kind: "switch", value: true });
addSetting({ id: "coordinates", group: "board", kind: "choice", value: "letters", choices: ["letters", "kanji", "none"] });
addSetting({ id: "numbers", group: "board", kind: "choice", value: "none", choices: ["none", "last", "all"] });
addSetting({ id: "confirm", group: "input", kind: "choice", value: "small", choices: ["small", "always", "never"] });
addSetting({ id: "letters", group: "input", kind: "switch", value: true });

/** Shows the settings in attributes that the style sheets select. */
function applyAppearance() {
  const { dataset } = document.documentElement;
  dataset.scheme = settings.scheme;
  dataset.theme = settings.theme;
}

setVertexText((vertex) => pointName(vertex, state.game.height, settings.coordinates));
let coordinates = settings.coordinates;
on(["settings"], () => {
  applyAppearance();
  if (coordinates === settings.coordinates) return;
  // Texts contain the names of points.
  coordinates = settings.coordinates;
  changed("language");
});
applyAppearance();
