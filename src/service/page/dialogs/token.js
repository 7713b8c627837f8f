// Dialog for the access key of the service.

import { make, write } from "/core/dom.js";
import { createDialog, field, opened } from "/dialogs/dialog.js";
import { setAskToken } from "/service/service.js";
import { t } from "/texts/texts.js";

const note = make("p", { id: "token-said", role: "status" });
const dialog = createDialog("token-dialog", "token.title", field("token.label", make("input", { name: "token", type: "password", autocomplete: "off" })),
  note, make("div", { class: "row end" }, make("button", { value: "start", class: "main", text: "token.continue" })));

/** Opens the dialog and resolves to the key entered. `wrong`: the service rejected the previous key. */
setAskToken(async (wrong) => {
  const { token } = dialog.querySelector("form");
  token.value = "";
  write(note, wrong ? t("token.wrong") : "");
  await opened(dialog);
  return token.value;
});
