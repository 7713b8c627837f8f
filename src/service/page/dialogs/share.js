// Dialog with a link that contains the game.

import { addAction } from "/core/actions.js";
import { make, write } from "/core/dom.js";
import { closeButton, createDialog } from "/dialogs/dialog.js";
import { copy } from "/game/files.js";
import { linkOf } from "/game/share.js";
import { state } from "/game/state.js";
import { t } from "/texts/texts.js";

/** Length in characters from which programs may shorten a link. */
const LONG = 8000;

let dialog = null;
let field;
let said;

function build() {
  field = make("textarea", { id: "share-link", rows: 4, readonly: true, spellcheck: "false" });
  field.addEventListener("focus", () => field.select());
  said = make("p", { id: "share-said", role: "status" });
  const button = make("button", { id: "share-copy", type: "button", class: "main", text: "share.copy" });
  button.addEventListener("click", async () => write(said, t(await copy(field.value) ? "share.copied" : "said.notCopied")));
  const send = make("button", { id: "share-send", type: "button", text: "share.send" });
  send.addEventListener("click", () => navigator.share({ url: field.value }).catch(() => {}));
  send.hidden = !navigator.share;
  dialog = createDialog("share-dialog", "share.title", make("p", { text: "share.note" }),
    make("label", { class: "stacked" }, make("span", { text: "share.label" }), field), said,
    make("div", { class: "row end" }, closeButton(), send, button));
}

addAction({
  id: "share", icon: "share", enabled: () => Boolean(window.CompressionStream),
  run: async () => {
    if (!dialog) build();
    field.value = await linkOf(state.game);
    write(said, field.value.length > LONG ? t("share.long") : "");
    dialog.showModal();
  },
});
