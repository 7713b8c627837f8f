// Entry point of the page.
//
// Structure, lowest layer first; modules import from their own folder and from lower ones:
// - `core`: state changes (`store`), settings, actions, undo, messages, elements; no knowledge of Go
// - `texts`: one table per language, formats of numbers, results and errors (`core/dom` and `core/message` use them)
// - `service`: the connection
// - `game`: tree, clock, game files, flow of the game
// - `board`: the drawn board, its layers, and the view that the page shows
// - `panels`, `dialogs`, `sound`: what the user sees and hears; each module declares itself, `modules.js` lists them
//
// A module changes shared data (`game/state.js`, `core/settings.js`) through functions that report topics
// (`core/store.js`); modules that show data listen to topics. Nothing else connects the modules of different panels.

import "/modules.js";
import { createBoard } from "/board/view.js";
import { actionOfKey, run } from "/core/actions.js";
import { translate } from "/core/dom.js";
import { settings } from "/core/settings.js";
import { on } from "/core/store.js";
import { proceed, resume } from "/game/begin.js";
import { openLink } from "/game/files.js";
import { show } from "/game/play.js";
import { mountPanels } from "/panels/panel.js";
import { mountToolbars } from "/panels/toolbar.js";
import { attempt } from "/service/service.js";

document.addEventListener("keydown", (event) => {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || event.target.isContentEditable;
  if (typing || document.querySelector("dialog[open]") || event.defaultPrevented) return;
  const action = actionOfKey(event, settings.letters);
  if (!action) return;
  event.preventDefault();
  run(action.id);
});

on(["language"], translate);

translate();
createBoard();
mountToolbars();
mountPanels();
await attempt(resume);
await show();
await openLink();
await attempt(proceed);

// The worker keeps the page's files, so that the page opens without the service. Without it, the page works as well.
navigator.serviceWorker?.register("/worker.js").catch(() => {});
