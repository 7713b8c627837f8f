// Sounds, synthesised: stones, captures, passes, and the last seconds of byoyomi.

import { addAction } from "/core/actions.js";
import { addSetting, set, settings } from "/core/settings.js";
import { on } from "/core/store.js";
import { state } from "/game/state.js";
import { language } from "/texts/texts.js";

addSetting({ id: "sound", group: "sound", kind: "switch", value: true });
addAction({ id: "sound", slot: "corner", order: 0, icon: "sound", pressed: () => settings.sound, run: () => set("sound", !settings.sound) });
addSetting({ id: "captureSound", group: "sound", kind: "switch", value: true });
addSetting({ id: "countdown", group: "sound", kind: "choice", value: "ticks", choices: ["ticks", "voice", "none"] });
addSetting({ id: "volume", group: "sound", kind: "range", value: 0.6, min: 0, max: 1, step: 0.05 });

/** Seconds of a byoyomi period that are announced by ticks. */
const TICKS = 10;
let context = null;
let ticked = null;

/** Returns the audio context once the user has interacted with the page; browsers forbid sounds before. */
function audio() {
  if (!settings.sound || settings.volume === 0 || !navigator.userActivation?.hasBeenActive) return null;
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  return context;
}

/** Connects a source to the output, with a level that decays within `seconds`. */
function decaying(source, level, at, seconds) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(level * settings.volume, at);
  gain.gain.exponentialRampToValueAtTime(0.0001, at + seconds);
  source.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + seconds);
}

function tone(frequency, level, at, seconds) {
  const oscillator = context.createOscillator();
  oscillator.frequency.setValueAtTime(frequency, at);
  oscillator.frequency.exponentialRampToValueAtTime(frequency * 0.6, at + seconds);
  decaying(oscillator, level, at, seconds);
}

/** A stone on wood: a short noise, and the dull tone of the board. */
function click(at, pitch = 1) {
  const samples = Math.floor(context.sampleRate * 0.03);
  const buffer = context.createBuffer(1, samples, context.sampleRate);
  const data = buffer.getChannelData(0);
  for (let index = 0; index < samples; index += 1) data[index] = (2 * Math.random() - 1) * (1 - index / samples) ** 6;
  const noise = context.createBufferSource();
  noise.buffer = buffer;
  noise.playbackRate.value = pitch;
  decaying(noise, 0.7, at, 0.03);
  tone(1150 * pitch, 0.35, at, 0.05);
  tone(230 * pitch, 0.5, at, 0.09);
}

const SOUNDS = {
  stone: (at) => click(at, 0.95 + 0.1 * Math.random()),
  capture: (at) => [0.07, 0.13, 0.2].forEach((delay, index) => click(at + delay, 1.25 + 0.1 * index)),
  pass: (at) => tone(420, 0.3, at, 0.18),
  tick: (at) => tone(880, 0.25, at, 0.06),
  lastTick: (at) => tone(1320, 0.4, at, 0.12),
  end: (at) => [392, 494, 587].forEach((frequency, index) => tone(frequency, 0.25, at + 0.12 * index, 0.5)),
};

/** Plays a sound if sounds are on. */
export function sound(name) {
  if (audio()) SOUNDS[name](context.currentTime);
}

/** Returns a voice of this computer for the current language, or undefined. Other voices would send texts elsewhere. */
const localVoice = () => window.speechSynthesis?.getVoices().find(({ lang, localService }) => localService && lang.startsWith(language().slice(0, 2)));

/** Announces the last seconds of a period: by a voice if there is one, or by ticks. */
function countDown(second) {
  if (settings.countdown === "none" || !settings.sound) return;
  const voice = settings.countdown === "voice" ? localVoice() : undefined;
  if (!voice) {
    sound(second <= 3 ? "lastTick" : "tick");
    return;
  }
  const spoken = new SpeechSynthesisUtterance(String(second));
  Object.assign(spoken, { voice, lang: voice.lang, volume: settings.volume, rate: 1.3 });
  speechSynthesis.cancel();
  speechSynthesis.speak(spoken);
}

on(["moved"], () => {
  const { node, before } = state.moved ?? {};
  if (!node?.move || !node.position) return;
  if (node.move[1] === "pass") {
    sound("pass");
    return;
  }
  sound("stone");
  const captured = ({ prisoners }) => prisoners.black + prisoners.white;
  if (settings.captureSound && before.position && captured(node.position) > captured(before.position)) sound("capture");
});

on(["result"], () => state.game.over && sound("end"));

on(["clock"], () => {
  const color = state.clocks?.running;
  const left = color && state.humans[color] ? state.clocks.periodLeft(color) : null;
  const second = left === null ? null : Math.ceil(left);
  if (second === ticked) return;
  ticked = second;
  if (second !== null && second <= TICKS) countDown(second);
});
