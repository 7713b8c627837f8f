// List of the keyboard shortcuts and, on touch screens, of the gestures.

import { addAction, allActions } from "/core/actions.js";
import { make } from "/core/dom.js";
import { createDialog } from "/dialogs/dialog.js";
import { hasText } from "/texts/texts.js";

const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓" };

/** Creates the keys of a shortcut. */
function keys(shortcut) {
  return shortcut.split(/(?<=.)\+/).map((key) => make("kbd", {}, NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)));
}

function entry(names, text) {
  return [make("dt", {}, ...names.flatMap((name, index) => [...(index > 0 ? [" "] : []), ...keys(name)])), make("dd", { text })];
}

let dialog = null;

/** Headings of the groups of shortcuts: the toolbars, and the tree. */
const GROUPS = { navigation: "toolbar.navigation", play: "toolbar.play", study: "toolbar.study", tree: "tab.tree", menu: "header.menu", corner: "setting.title" };

/** Creates the list of a group's shortcuts. */
function groupBox([group, heading]) {
  const entries = allActions().filter((action) => (action.slot ?? action.group) === group && action.keys.length + action.listed.length > 0)
    .sort((one, two) => !one.slot - !two.slot || one.order - two.order)
    .flatMap(({ id, keys: names, listed }) => entry([...names, ...listed], hasText(`action.${id}.title`) ? `action.${id}.title` : `action.${id}`));
  const board = group === "navigation" ? entry(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter"], "shortcuts.board") : [];
  return make("section", {}, make("h3", { text: heading }), make("dl", { class: "shortcuts" }, ...entries, ...board));
}

function build() {
  const gestures = make("ul", {}, ...["tap", "hint", "swipe", "graph"].map((name) => make("li", { text: `gestures.${name}` })));
  gestures.hidden = !matchMedia("(any-pointer: coarse)").matches;
  dialog = createDialog("shortcuts-dialog", "action.shortcuts.title", gestures, make("div", { class: "columns" }, ...Object.entries(GROUPS).map(groupBox)));
}

addAction({
  id: "shortcuts", slot: "corner", order: 2, icon: "help", keys: ["?"],
  run: () => {
    if (!dialog) build();
    dialog.showModal();
  },
});
