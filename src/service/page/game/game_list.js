// List of the stored games: loading, searching and sorting.

import { service } from "/service/service.js";

/** Number of games in a request, and maximum number of games in the list. */
const [PAGE, LIMIT] = [500, 20000];

/** Loads the list, newest first. Calls `heard(games)` after each page; stops if it returns false. */
export async function loadGames(heard) {
  const games = [];
  let before;
  do {
    const response = await service.ask("listGoban", { limit: PAGE, ...(before === undefined ? {} : { before }) });
    games.push(...response.games);
    before = response.next;
    if (!heard(games)) return;
  } while (before !== null && games.length < LIMIT);
}

/** Returns a text in a form in which letter case, width and accents make no difference. */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().normalize("NFC");

/** Returns the first and the last day of a date, which may be incomplete, such as "2026-11". */
function days(date) {
  const [year, month, day] = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?/.exec(date)?.slice(1) ?? [];
  return year ? [`${year}-${month ?? "01"}-${day ?? "01"}`, `${year}-${month ?? "12"}-${day ?? "31"}`] : ["", ""];
}

/** Returns who has won: "black", "white", "none" (a draw or no result) or "unknown". */
function winner(result) {
  if (/^b/i.test(result)) return "black";
  if (/^w/i.test(result)) return "white";
  return /^(0|draw|jigo|void)/i.test(result) ? "none" : "unknown";
}

/**
 * True if a game matches: the words of `text` occur in its names, event, place, comment or date, the date is from `from`
 * to `to`, and `winner` has won. Empty fields match all games.
 */
export function matches(game, { text, from, to, winner: wanted }) {
  if (wanted && winner(game.result) !== wanted) return false;
  if (from || to) {
    const [first, last] = days(game.date);
    if (!first || (from && last < from) || (to && first > to)) return false;
  }
  const { black, white, event, place, comment, date } = game;
  const texts = folded([black, white, event, place, comment, date].join(" "));
  return folded(text).split(/\s+/).every((part) => texts.includes(part));
}

/** Values by which games are sorted. */
const KEYS = {
  added: ({ gobanId }) => gobanId,
  black: ({ black }) => folded(black),
  white: ({ white }) => folded(white),
  event: ({ event }) => folded(event),
  date: ({ date }) => date,
  result: ({ result }) => [winner(result), result],
  board: ({ size }) => size[0] * size[1],
  moves: ({ moves }) => moves,
};

/** Orders in which games can be sorted. */
export const ORDERS = Object.keys(KEYS);
/** True for orders that begin with the largest value. */
export const isDescending = (order) => ["added", "date", "moves", "board"].includes(order);

/** Returns the games sorted by one of `ORDERS`. */
export function sorted(games, order, descending) {
  const collator = new Intl.Collator(undefined, { numeric: true });
  const compare = (one, other) => (typeof one === "number" ? one - other : collator.compare(String(one), String(other)));
  const sign = descending ? -1 : 1;
  return games.map((game) => [KEYS[order](game), game])
    .sort(([one, first], [other, second]) => sign * compare(one, other) || second.gobanId - first.gobanId)
    .map(([, game]) => game);
}
