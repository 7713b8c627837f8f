// The message of the page: what has just happened, or what to do. Screen readers announce it.

import { changed } from "/core/store.js";
import { errorText } from "/texts/errors.js";
import { t } from "/texts/texts.js";

let current = { kind: "info", text: () => "" };

/** The current message: `kind` ("info", "wait" or "error") and `text()`, in the current language. */
export const message = () => current;

/** Shows the text `key`. */
export function say(key, params = {}, kind = "info") {
  current = { kind, text: () => (key ? t(key, params) : "") };
  changed("message");
}

/** Shows several texts, each [key, params], as sentences of one message. */
export function sayAll(texts, kind = "info") {
  current = { kind, text: () => texts.map(([key, params]) => t(key, params)).join(t("sentence.between")) };
  changed("message");
}

/** Shows an error of the service. */
export function sayError(error) {
  current = { kind: "error", text: () => errorText(error) };
  changed("message");
}

/** Removes the message if it is of this kind. */
export function clearMessage(kind) {
  if (current.kind === kind) say("");
}
