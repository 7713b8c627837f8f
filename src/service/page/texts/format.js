// Formats of numbers and results. The functions depend on nothing but their arguments, so that tests can call them.

/** Returns the best of `available` for the language tags in `wanted`, best first; English by default. */
export function matchLanguage(wanted, available) {
  for (const tag of wanted) {
    const [language, ...parts] = tag.split("-");
    if (language === "zh") {
      const traditional = parts.some((part) => ["Hant", "TW", "HK", "MO"].includes(part)) && !parts.includes("Hans");
      return traditional ? "zh-Hant" : "zh-Hans";
    }
    if (available.includes(language)) return language;
  }
  return "en";
}

const formats = new Map();

/** Formats a number with `digits` decimals, by default up to two. */
export function numberText(language, value, digits, style = "decimal") {
  const name = `${language} ${digits} ${style}`;
  if (!formats.has(name)) {
    formats.set(name, new Intl.NumberFormat(language, {
      style, minimumFractionDigits: digits ?? 0, maximumFractionDigits: digits ?? 2,
    }));
  }
  return formats.get(name).format(value);
}

/** Formats a number of points. Halves have words of their own in some languages. `t` looks up texts. */
export function pointsText(t, value) {
  const whole = Math.floor(value);
  if (value === whole) return t("points.whole", { n: value });
  if (value - whole === 0.5) return whole === 0 ? t("points.half") : t("points.andHalf", { n: whole });
  return t("points.decimal", { n: value });
}

const WAYS = { R: "resign", T: "time", F: "forfeit" };

/** Formats a result in SGF notation; unknown notations stay as they are. */
export function resultText(t, sgf) {
  const text = sgf.trim();
  if (/^(0|draw|jigo)$/i.test(text)) return t("result.draw");
  if (/^void$/i.test(text)) return t("result.void");
  const [, side, , how] = /^([BW])(\+(.*))?$/i.exec(text) ?? [];
  if (!side) return text;
  const color = side.toUpperCase() === "B" ? "black" : "white";
  if (!how) return t("result.wins", { color });
  const way = WAYS[how[0].toUpperCase()];
  if (way) return t(`result.${way}`, { color });
  const margin = Number(how.replace(",", "."));
  return Number.isFinite(margin) ? t("result.points", { color, points: margin }) : text;
}
