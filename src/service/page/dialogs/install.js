// Buttons that install the page as an app, while the browser offers it: in the header, and in the settings, because the
// header of phones has no room for another button.

import { addAction, run } from "/core/actions.js";
import { makeButton } from "/core/dom.js";
import { addIcon } from "/core/icons.js";
import { changed, on } from "/core/store.js";

addIcon("install", "M7 3h10v18H7zM12 7v7M9.5 11.5L12 14l2.5-2.5M11 18h2");

/** Event with which the browser offers to install the page, or null. */
let offer = null;

function setOffer(event) {
  offer = event;
  changed("settings");
}

addEventListener("beforeinstallprompt", (event) => {
  // The browser's own banner would cover the board.
  event.preventDefault();
  setOffer(event);
});
addEventListener("appinstalled", () => setOffer(null));

addAction({
  id: "install", slot: "corner", order: 3, icon: "install", visible: () => Boolean(offer),
  run: async () => {
    const asked = offer.prompt();
    // An offer can be used once.
    setOffer(null);
    await asked;
  },
});

/** Creates the button for the settings. */
export function installButton() {
  const button = makeButton({ id: "setting-install", text: "action.install.title", hidden: !offer }, () => run("install"));
  on(["settings"], () => {
    button.hidden = !offer;
  });
  return button;
}
