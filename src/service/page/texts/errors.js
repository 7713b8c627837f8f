// Texts of the service's errors and warnings.

import { hasText, t } from "/texts/texts.js";

/**
 * Returns the text of an error or a warning, {code, kind, params, message}. `kind` is set by the page for errors of its
 * own. The most specific text that exists is used: `error.<kind>`, `error.<code>.<reason>`, `error.<code>`, or else the
 * message of the service. Warnings about illegal moves of a record (`illegal`) are preceded by a remark.
 */
export function errorText({ code, kind, params = {}, message, illegal = false }) {
  const key = [kind, `${code}.${params?.reason}`, code].map((name) => `error.${name}`).find(hasText);
  // The name of the request's field means nothing to the user.
  const text = key ? t(key, params) : message.replace(/^(goban|bytes): /, "");
  return illegal ? t("error.illegal", { text }) : text;
}
