// Game clock: main time for each side, then byoyomi periods.

/** Formats seconds as M:SS, rounded up. */
const text = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** Returns the time limits of a clock for the information of a game, in the notation of SGF files; none without a clock. */
export function timeLimits({ minutes = 0, periods = 0, seconds = 30 }) {
  if (minutes === 0 && periods === 0) return {};
  return { time: String(60 * minutes), ...(periods > 0 ? { overtime: `${periods}x${seconds} byo-yomi` } : {}) };
}

/** Maximum search time that the service accepts, in seconds. */
const LONGEST = 600;

export class Clocks {
  /**
   * Creates the clocks of both sides from `minutes` of main time and `periods` of `seconds`, or from a result of
   * `left`. If both minutes and periods are 0, the game has no clock. Calls `show()` when the display
   * changes, and `lost(color)` when a side runs out of time.
   */
  constructor({ minutes = 0, periods = 0, seconds = 30, sides }, show, lost) {
    this.period = seconds;
    this.sides = sides ?? { black: { main: 60 * minutes, periods }, white: { main: 60 * minutes, periods } };
    this.on = Object.values(this.sides).some((side) => side.main > 0 || side.periods > 0);
    this.show = show;
    this.lost = lost;
    this.running = null;
    this.#tell();
  }

  /** True if a side has run out of time. */
  get flagged() {
    return this.on && Object.values(this.sides).some(({ main, periods }) => main === 0 && periods === 0);
  }

  /** Returns the remaining times for the constructor, or undefined without a clock. */
  left() {
    if (!this.on) return undefined;
    const sides = { ...this.sides };
    if (this.running) sides[this.running] = this.#charged();
    return { seconds: this.period, sides };
  }

  /** Checks the running clock immediately instead of at the next tick. */
  look() {
    if (this.running) this.#tick();
  }

  /** Deducts the elapsed time from the running clock and starts the clock of `color`, or none if null. */
  turn(color) {
    if (!this.on) return;
    if (this.running) this.sides[this.running] = this.#charged();
    this.running = color;
    this.since = performance.now();
    clearInterval(this.timer);
    if (color) this.timer = setInterval(() => this.#tick(), 200);
    this.#tell();
  }

  /** Returns the engine's thinking time for one move of `color`, in seconds, or undefined without a clock. */
  budget(color) {
    if (!this.on) return undefined;
    const { main, periods } = this.sides[color];
    return Math.min(LONGEST, Math.max(0.1, main / 30, periods > 0 ? this.period * 0.8 : 0));
  }

  /** Returns the time since the running clock was started, in seconds. */
  #spent() {
    return this.running ? (performance.now() - this.since) / 1000 : 0;
  }

  /** Returns the remaining time of the running clock if the side moves now. Unfinished periods are restored. */
  #charged() {
    const { main, periods } = this.sides[this.running];
    const over = Math.max(this.#spent() - main, 0);
    return { main: Math.max(main - this.#spent(), 0), periods: Math.max(periods - Math.floor(over / this.period), 0) };
  }

  #tick() {
    const color = this.running;
    const side = this.sides[color];
    if (this.#spent() - side.main > this.period * side.periods) {
      Object.assign(side, { main: 0, periods: 0 });
      this.running = null;
      clearInterval(this.timer);
      this.lost(color);
    }
    this.#tell();
  }

  #tell() {
    this.show();
  }

  /** Returns the seconds until the running period of `color` ends, or null unless it is byoyomi. */
  periodLeft(color) {
    if (!this.on || this.running !== color) return null;
    const { main, periods } = this.sides[color];
    const over = this.#spent() - main;
    return over < 0 || periods === 0 ? null : this.period - (over % this.period);
  }

  /** Returns the remaining time of `color` as text, or "" without a clock. */
  text(color) {
    return this.on ? this.#text(color) : "";
  }

  #text(color) {
    const { main, periods } = this.sides[color];
    const left = main - (this.running === color ? this.#spent() : 0);
    if (left > 0) return periods > 0 ? `${text(left)} + ${periods}×${this.period}` : text(left);
    if (periods === 0) return text(0);
    const gone = Math.floor(-left / this.period);
    return `${text(this.period + (left % this.period))} (${Math.max(periods - gone, 0)}×)`;
  }
}
