// Two clocks: main time, then byoyomi periods.

const text = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** As long as the service searches for a move. */
const LONGEST = 600;

export class Clocks {
  /**
   * `settings`: minutes, periods and their seconds, the same for both, without any of which there is no clock; or what `left`
   * told. `show` is told each side's text, `lost` who has run out of time.
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

  /** Whether a side has run out of time. */
  get flagged() {
    return this.on && Object.values(this.sides).some(({ main, periods }) => main === 0 && periods === 0);
  }

  /** What is left on both, for another day. */
  left() {
    if (!this.on) return undefined;
    const sides = { ...this.sides };
    if (this.running) sides[this.running] = this.#charged();
    return { seconds: this.period, sides };
  }

  /** Tells of a side that has run out of time, sooner than it is looked for. */
  look() {
    if (this.running) this.#tick();
  }

  /** Charges the side whose clock runs and starts the other's, or none. */
  turn(color) {
    if (!this.on) return;
    if (this.running) this.sides[this.running] = this.#charged();
    this.running = color;
    this.since = performance.now();
    clearInterval(this.timer);
    if (color) this.timer = setInterval(() => this.#tick(), 200);
    this.#tell();
  }

  /** Seconds that an engine may think about a move. */
  budget(color) {
    if (!this.on) return undefined;
    const { main, periods } = this.sides[color];
    return Math.min(LONGEST, Math.max(0.1, main / 30, periods > 0 ? this.period * 0.8 : 0));
  }

  #spent() {
    return this.running ? (performance.now() - this.since) / 1000 : 0;
  }

  /** What the side whose clock runs has left if it moves now: of a period begun, all. */
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
    for (const color of ["black", "white"]) {
      this.show(color, this.on ? this.#text(color) : "");
    }
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
