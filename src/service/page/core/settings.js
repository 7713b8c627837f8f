// Settings of the user, kept in the browser. A module declares its settings with `addSetting`; the settings dialog shows
// all of them, grouped, in the order of their declaration.

import { changed } from "/core/store.js";
import { recall, remember } from "/core/storage.js";

const KEY = "honinbo-settings";
const declared = [];
const saved = read();

/** Current values by setting id. Change them with `set`. */
export const settings = {};

function read() {
  try {
    const values = JSON.parse(recall("local", KEY));
    return values && typeof values === "object" ? values : {};
  } catch {
    return {};
  }
}

/**
 * Declares a setting: `id`, `group` (text key `setting.group.<group>`), `kind` ("switch", "choice" or "range"), `value`
 * (the default), for choices `choices` (list of values; their text keys are `setting.<id>.<value>`), for
 * ranges `min`, `max`, `step`; `hidden`: true for values that are set elsewhere on the page. The text key of the label is
 * `setting.<id>`.
 */
export function addSetting(setting) {
  declared.push(setting);
  const value = saved[setting.id];
  const valid = setting.kind === "choice" ? setting.choices.includes(value) : typeof value === typeof setting.value;
  settings[setting.id] = valid ? value : setting.value;
}

/** All declared settings. */
export const allSettings = () => declared;

/** Changes a setting and saves it. */
export function set(id, value) {
  if (settings[id] === value) return;
  settings[id] = saved[id] = value;
  remember("local", KEY, JSON.stringify(saved));
  changed("settings");
}
