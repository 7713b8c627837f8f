// Two clocks: main time, then byoyomi periods.

const text = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

export class Clocks {
  /** `settings`: minutes, periods, seconds; without any there is no clock. `show` is told each side's text, `lost` who lost. */
  constructor({ minutes = 0, periods = 0, seconds = 30 }, show, lost) {
    this.on = minutes > 0 || periods > 0;
    this.period = seconds;
    this.left = { black: 60 * minutes, white: 60 * minutes };
    this.periods = { black: periods, white: periods };
    this.show = show;
    this.lost = lost;
    this.running = null;
    this.#tell();
  }

  /** Charges the side whose clock runs and starts the other's, or none. */
  turn(color) {
    if (!this.on) return;
    this.#charge();
    this.running = color;
    this.since = performance.now();
    clearInterval(this.timer);
    if (color) this.timer = setInterval(() => this.#tick(), 200);
    this.#tell();
  }

  /** Seconds that an engine may think about a move. */
  budget(color) {
    if (!this.on) return undefined;
    const main = this.left[color] / 30;
    const byoyomi = this.periods[color] > 0 ? this.period * 0.8 : 0;
    return Math.max(0.1, this.left[color] > 0 ? Math.max(main, byoyomi) : byoyomi);
  }

  #spent() {
    return this.running ? (performance.now() - this.since) / 1000 : 0;
  }

  #charge() {
    if (!this.running) return;
    const color = this.running;
    let over = this.#spent() - this.left[color];
    if (over <= 0) {
      this.left[color] = -over;
      return;
    }
    this.left[color] = 0;
    while (over > this.period && this.periods[color] > 0) {
      over -= this.period;
      this.periods[color] -= 1;
    }
  }

  #tick() {
    const color = this.running;
    const over = this.#spent() - this.left[color];
    if (over > this.period * this.periods[color]) {
      this.periods[color] = 0;
      this.left[color] = 0;
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
    const spent = this.running === color ? this.#spent() : 0;
    const left = this.left[color] - spent;
    if (left > 0) return this.periods[color] > 0 ? `${text(left)} + ${this.periods[color]}×${this.period}` : text(left);
    if (this.periods[color] === 0) return text(0);
    const over = -left;
    const gone = Math.floor(over / this.period);
    return `${text(this.period - (over % this.period))} (${Math.max(this.periods[color] - gone, 0)}×)`;
  }
}
