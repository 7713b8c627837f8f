// Dialog of the settings: one control for each declared setting.

import { addAction } from "/core/actions.js";
import { make } from "/core/dom.js";
import { allSettings, set, settings } from "/core/settings.js";
import { createDialog, field } from "/dialogs/dialog.js";
import { installButton } from "/dialogs/install.js";
import { chosenLanguage, setLanguage, TABLES } from "/texts/texts.js";

let dialog = null;
/** Functions that show the current values; some settings have buttons elsewhere, too. */
const updates = [];

/** Names of the languages in themselves. */
const LANGUAGES = { en: "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文", ja: "日本語", ko: "한국어" };

function languageField() {
  const control = make("select", { id: "setting-language" }, make("option", { value: "", text: "setting.language.browser" }),
    ...Object.keys(TABLES).map((tag) => make("option", { value: tag, lang: tag }, LANGUAGES[tag])));
  control.value = chosenLanguage();
  control.addEventListener("change", () => setLanguage(control.value));
  return field("setting.language", control);
}

function control(setting) {
  const { id, kind } = setting;
  const attributes = { id: `setting-${id}` };
  if (kind === "switch") {
    const made = make("input", { ...attributes, type: "checkbox", role: "switch" });
    updates.push(() => {
      made.checked = settings[id];
    });
    made.addEventListener("change", () => set(id, made.checked));
    return made;
  }
  if (kind === "range") {
    const made = make("input", { ...attributes, type: "range", min: setting.min, max: setting.max, step: setting.step });
    updates.push(() => {
      made.value = settings[id];
    });
    made.addEventListener("input", () => set(id, Number(made.value)));
    return made;
  }
  const made = make("select", attributes, ...setting.choices.map((value) => make("option", { value, text: `setting.${id}.${value}` })));
  updates.push(() => {
    made.value = settings[id];
  });
  made.addEventListener("change", () => set(id, made.value));
  return made;
}

function build() {
  const shown = allSettings().filter(({ hidden }) => !hidden);
  const groups = [...new Set(shown.map(({ group }) => group))];
  const groupBox = (group, ...fields) => make("fieldset", {}, make("legend", { text: `setting.group.${group}` }), ...fields);
  const boxes = groups.map((group) => {
    const fields = shown.filter((setting) => setting.group === group).map((setting) => field(`setting.${setting.id}`, control(setting)));
    return groupBox(group, ...(group === "appearance" ? [languageField()] : []), ...fields);
  });
  dialog = createDialog("settings-dialog", "setting.title", make("div", { class: "columns" }, ...boxes), installButton());
}

addAction({
  id: "settings", slot: "corner", order: 1, icon: "settings", keys: [","],
  run: () => {
    if (!dialog) build();
    for (const update of updates) update();
    dialog.showModal();
  },
});
