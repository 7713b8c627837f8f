// List of the games that are kept in the browser: of closed tabs, and games that were replaced before they were saved.

import { make, makeButton } from "/core/dom.js";
import { thumbnail } from "/board/thumbnail.js";
import { discardLost, recover } from "/game/begin.js";
import { lostGames } from "/game/slots.js";
import { icon } from "/core/icons.js";
import { attempt } from "/service/service.js";
import { language, player, t } from "/texts/texts.js";

/** Formats a time in milliseconds as date and time. */
const timeText = (time) => new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeStyle: "short" }).format(time);

function rowOf(lost, dialog) {
  const { black, white, moves, time, board } = lost.data;
  const names = `${player(black) || t("color.black")} – ${player(white) || t("color.white")}`;
  const button = (kind, key, work, content) => {
    const made = makeButton({ class: kind }, work, content);
    made.setAttribute("aria-label", `${t(key)}: ${names}`);
    made.title = t(key);
    return made;
  };
  return make("li", {}, thumbnail(board), make("div", { class: "lost-text" }, make("div", { class: "clip" }, names),
    make("div", { class: "lost-facts" }, `${t("games.moves", { n: moves })} · ${timeText(time)}`)),
    button("recover", "games.recover", async () => {
      dialog.close();
      await attempt(() => recover(lost));
    }, t("games.recover")),
    button("delete plain", "games.delete", () => discardLost(lost), icon("remove")));
}

/** Removes a list that may be outdated from `root`. */
export function clearLost(root) {
  root.replaceChildren();
  delete root.dataset.shown;
}

/** Shows the games in `root`, which belongs to `dialog`. */
export async function lostRows(root, dialog) {
  const games = await lostGames();
  // A list that stays the same is not drawn again: the user may be pressing one of its buttons.
  const key = [language(), ...games.map(({ name, data }) => `${name} ${data.time}`)].join();
  if (root.dataset.shown === key) return;
  root.dataset.shown = key;
  const isOpen = root.querySelector("details")?.open ?? true;
  root.replaceChildren();
  if (games.length === 0) return;
  const details = make("details", { open: isOpen }, make("summary", {}, t("games.lost", { n: games.length })),
    make("ul", {}, ...games.map((lost) => rowOf(lost, dialog))));
  root.append(details);
}
