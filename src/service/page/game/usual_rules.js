// Rules and komi of a new game, as they are usual where the language is spoken.

import { language } from "/texts/texts.js";

const LOCAL = { ja: { rules: "japanese", komi: 6.5 }, ko: { rules: "korean", komi: 6.5 } };

/** Returns {rules, komi} of a new game. */
export const usualRules = () => LOCAL[language()] ?? { rules: "chinese-ogs", komi: 7.5 };
