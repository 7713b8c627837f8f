// Games kept in the browser: the game of each tab in a slot of its own, and games that were replaced before they were
// saved elsewhere. A slot whose tab is closed can be opened in another tab.

import { forget, recall, remember, storedNames } from "/core/storage.js";

/** Beginning of the names of slots in the local storage. */
const PREFIX = "honinbo-game";
/** Name in the session storage under which a tab keeps the name of its slot. */
const TAB = "honinbo-tab";
/** Maximum number of slots without a tab. */
const LIMIT = 20;
/** Time in which other tabs report their slots, in milliseconds. */
const PATIENCE = 80;

let own = null;
const channel = window.BroadcastChannel ? new BroadcastChannel(PREFIX) : null;
/** Names of the slots of other tabs. */
let taken = new Set();
/** Names that have been reported since the tabs were last asked. */
let heard = new Set();
/** Promise of the answers of other tabs while they are being asked, or null. */
let asking = null;

channel?.addEventListener("message", ({ data }) => {
  if (data === "who" && own) channel.postMessage(own);
  else if (data !== "who") heard.add(data);
});

const newName = () => `${PREFIX}-${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;

/** Resolves once the slots of other tabs are known. */
function askOthers() {
  asking ??= hearOthers().finally(() => {
    asking = null;
  });
  return asking;
}

async function hearOthers() {
  heard = new Set();
  if (channel && storedNames("local", PREFIX).length > 0) {
    channel.postMessage("who");
    await new Promise((done) => setTimeout(done, PATIENCE));
  }
  taken = heard;
}

/** Determines the slot of this tab. Resolves to its contents, or to those of the latest slot without a tab, or null. */
export async function claim() {
  const before = recall("session", TAB);
  // Other tabs that ask in the meantime leave it alone.
  own = before;
  await askOthers();
  // A duplicated tab has the name of the original.
  own = before && !taken.has(before) ? before : newName();
  remember("session", TAB, own);
  const data = parsed(own);
  if (data) return data;
  const latest = slots().find(({ data: { kept } }) => !kept);
  if (!latest) return null;
  // Without the service, the game cannot be opened yet, so it must be stored.
  if (writeOwn(latest.data)) discard(latest.name);
  return latest.data;
}

/** Returns the data in a slot, or null if there is none or it is unusable. */
function parsed(name) {
  try {
    const data = JSON.parse(recall("local", name));
    return Array.isArray(data?.way) && data.humans && data.lostTurns ? data : null;
  } catch {
    return null;
  }
}

/** Returns the slots without a tab, {name, data}, latest first. */
function slots() {
  const names = storedNames("local", PREFIX).filter((name) => name !== own && !taken.has(name));
  const found = names.map((name) => ({ name, data: parsed(name) })).filter(({ data }) => data);
  return found.sort((one, two) => (two.data.time ?? 0) - (one.data.time ?? 0));
}

/** Resolves to the games of closed tabs and to replaced games, {name, data}, latest first. */
export async function lostGames() {
  await askOthers();
  return slots().filter(({ data }) => data.unsaved);
}

/** Stores the data of this tab's game. Returns false if the browser has no space for it. */
export function writeOwn(data) {
  own ??= newName();
  return put(own, data);
}

/** Stores the data of a game that is being replaced. Returns the name of its slot, or null if there is no space. */
export function keep(data) {
  const name = newName();
  for (const { name: old } of slots().slice(LIMIT - 1)) discard(old);
  return put(name, { ...data, kept: true }) ? name : null;
}

/** Stores data in a slot. If there is no space, the oldest games that are saved elsewhere are removed. */
export function put(name, data) {
  const text = JSON.stringify(data);
  if (remember("local", name, text)) return true;
  for (const slot of slots().reverse()) {
    if (slot.data.unsaved) continue;
    discard(slot.name);
    if (remember("local", name, text)) return true;
  }
  return false;
}

/** Removes a slot. */
export const discard = (name) => forget("local", name);
