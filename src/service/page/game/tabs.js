// Tabs beside the board. What the board shows depends on the open one.

import { addSetting, set, settings } from "/core/settings.js";

/** Tabs in their order; a tab is shown once it has a panel (see `panels/panel.js`). */
export const TABS = ["game", "analysis", "review", "tree"];

addSetting({ id: "tab", kind: "choice", value: TABS[0], choices: TABS, hidden: true });

/** True if one of these tabs is open. */
export const isOpen = (...tabs) => tabs.includes(settings.tab);

/** Opens a tab. */
export const openTab = (tab) => set("tab", tab);
