// Panel of the variations at the current node, and of the changes to them.

import { byId, make, makeButton } from "/core/dom.js";
import { go } from "/game/play.js";
import { state } from "/game/state.js";
import { addPanel } from "/panels/panel.js";
import { actionButton } from "/panels/toolbar.js";
import { t } from "/texts/texts.js";

/** Changes with a button. */
const CHANGES = ["main-line", "promote", "variation-up", "variation-down", "copy-line", "remove"];
let list;

const name = (node) => (node.move ? t("vertex", { vertex: node.move[1] }) : t(node.setUp || node.changes ? "node.setUp" : "node.start"));

function buttons(nodes, key) {
  return nodes.map((node) => {
    const button = makeButton({}, () => go(node), t(key, { name: name(node) }));
    if (node === state.game.here) button.setAttribute("aria-current", "true");
    return button;
  });
}

addPanel({
  id: "variations-panel", tab: "tree", order: 20, label: "variations.label", topics: ["position", "tree", "game"],
  build(root) {
    list = make("div", { id: "variations", class: "row" });
    root.append(list, make("div", { class: "tools" }, ...CHANGES.map((id) => actionButton(id, id === "main-line" ? "return" : id))));
  },
  update() {
    const { here } = state.game;
    const beside = here.parent && here.parent.children.length > 1 ? here.parent.children : [];
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...buttons(beside, "variations.beside"), ...buttons(here.children, "variations.next"));
    // The pressed button has been replaced. Keyboard users continue from the current node's button, or from Back.
    if (focused) (list.querySelector("[aria-current]") ?? list.firstChild ?? byId("back")).focus();
  },
});
