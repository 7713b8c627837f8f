// Panels beside and below the board. A module declares a panel with `addPanel`; panels with the same `tab` share a tab.

import { byId, make } from "/core/dom.js";
import { hasKeyboardFocus } from "/core/input.js";
import { set, settings } from "/core/settings.js";
import { on } from "/core/store.js";
import { openTab, TABS } from "/game/tabs.js";

const declared = [];

/**
 * Declares a panel:
 * - `id`: id of its element
 * - `place`: "players", "status" (below the board) or "side" (above the tabs); or `tab`: "game", "analysis", "review" or
 *   "tree"; `order` sorts within the place
 * - `label`: text key of its accessible name, optional
 * - `topics`: changes after which `update` is called (changes of the language always are)
 * - `build(root)`: fills the element of the panel, once
 * - `update(topics)`: shows the state. Panels in hidden tabs are updated when the tab is opened. May set `root.hidden`.
 */
export function addPanel(panel) {
  declared.push({ order: 0, topics: [], update: () => {}, ...panel });
}

/** Builds all panels. */
export function mountPanels() {
  declared.sort((one, two) => one.order - two.order);
  const used = TABS.filter((tab) => declared.some((panel) => panel.tab === tab));
  mountTabs(used);
  for (const panel of declared) {
    panel.root = make("section", { id: panel.id, class: "panel", label: panel.label });
    byId(panel.tab ? `tab-${panel.tab}` : panel.place).append(panel.root);
    panel.build?.(panel.root);
    panel.update(new Set(["all"]));
    on([...panel.topics, "language"], (topics) => {
      if (panel.tab && panel.tab !== settings.tab) panel.outdated = true;
      else panel.update(topics);
    });
  }
}

function mountTabs(tabs) {
  const list = byId("tabs");
  if (!tabs.includes(settings.tab)) set("tab", tabs[0]);
  for (const tab of tabs) {
    const button = make("button", { id: `tab-button-${tab}`, role: "tab", "aria-controls": `tab-${tab}`, text: `tab.${tab}` });
    button.addEventListener("click", () => openTab(tab));
    list.append(button);
    byId("tab-panels").append(make("div", { id: `tab-${tab}`, class: "tab-panel", role: "tabpanel", "aria-labelledby": `tab-button-${tab}` }));
  }
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    // After a click on a tab, the arrow keys step through the game.
    if (!step || !hasKeyboardFocus()) return;
    const tab = tabs[(tabs.indexOf(settings.tab) + step + tabs.length) % tabs.length];
    openTab(tab);
    byId(`tab-button-${tab}`).focus();
    event.preventDefault();
    event.stopPropagation();
  });
  on(["settings"], () => showTab(tabs));
  showTab(tabs);
}

function showTab(tabs) {
  for (const tab of tabs) {
    const current = tab === settings.tab;
    const button = byId(`tab-button-${tab}`);
    button.setAttribute("aria-selected", current);
    button.tabIndex = current ? 0 : -1;
    byId(`tab-${tab}`).hidden = !current;
  }
  for (const panel of declared) {
    if (panel.tab !== settings.tab || !panel.outdated) continue;
    panel.outdated = false;
    panel.update(new Set(["all"]));
  }
}
