import { join } from 'node:path';
import { finalOf } from '../../integration/engine/_composition.ts';
import { samplesOf } from '../../integration/engine/_measuring.ts';
import { optionsOf, rendered } from '../../integration/engine/_rendering.ts';
import { type Form, framesOfForm, GAP_S, rateOf, TRIM_S } from './form.ts';
import { makeForm } from './make.ts';
import {
  filmFrames,
  levels,
  onsetAfter,
  type Shown,
  sourceFrames,
  sourceSound,
  startOf,
  type TimedFrame,
} from './observe.ts';

/** Frames can show a little early, because containers round times. */
const EARLY_FRAMES = 0.0973;
const MAX_COLOUR = 3;
const MAX_LEVEL_DB = 0.7;
const MAX_LATE_S = { exact: 0.002, padded: 0.01 };
const SOUND_SIZE = { width: 64, height: 36 };

const trimOf = ({ played }: Form): number => (played === 'trimmed' ? TRIM_S : 0);
const filmLasts = ({ played }: Form): number => ({ whole: 1, trimmed: 0.6, looped: 2.2 })[played];

const renderForm = async (form: Form, path: string, folder: string): Promise<string> => {
  const kind = form.picture === null ? 'audio' : 'video';
  const { width, height } = form.picture ?? SOUND_SIZE;
  const layer = {
    ...{ id: 'form', type: kind, asset: 'form', trim_start: trimOf(form) },
    ...(kind === 'video' ? { fit: 'fill' } : {}),
    ...(form.played === 'looped' ? { loop: true } : {}),
  };
  const fps = form.composed_rate;
  const final = finalOf({ width, height, fps, duration: filmLasts(form), layers: [layer] }, [{ id: 'form', kind }]);
  return (await rendered(optionsOf(final, join(folder, 'out'), { form: path }))).master;
};

/**
 * Frames of the composition in one repetition of a loop. ffmpeg writes some AVIFs with a gap, so that the last frame is
 * late.
 */
const turnOf = ({ picture, composed_rate }: Form, source: readonly TimedFrame[]): number => {
  if (picture === null) return 0;
  const rate = rateOf(picture.rate);
  const frames = Math.max(framesOfForm(picture), Math.floor((source.at(-1)?.at_s ?? 0) * rate + 0.01) + 1);
  return Math.round((frames * rateOf(composed_rate)) / rate);
};

const wantedFrames = (
  form: Form,
  source: readonly TimedFrame[],
  frames: number,
): readonly (TimedFrame | undefined)[] => {
  const rate = rateOf(form.composed_rate);
  const turn = turnOf(form, source);
  return Array.from({ length: frames }, (_, n) => {
    const own = form.played === 'looped' ? n % turn : n;
    const at_s = trimOf(form) + (own + EARLY_FRAMES) / rate;
    return source.findLast((frame) => frame.at_s <= at_s) ?? source[0];
  });
};

const frameFaults = (wanted: readonly (TimedFrame | undefined)[], film: readonly Shown[]): readonly string[] => {
  const numbers = film.map(({ number }) => number);
  const expected = wanted.map((frame) => frame?.number ?? -2);
  const wrong = numbers.flatMap((number, n) => (number === expected[n] && number >= 0 ? [] : [n]));
  if (wrong.length === 0) return [];
  const seen = wrong.slice(0, 4).map((n) => `frame ${n} shows ${numbers[n]}, not ${expected[n]}`);
  return [`${wrong.length} of ${film.length} frames: ${seen.join('; ')}`];
};

const colourFaults = (wanted: readonly (TimedFrame | undefined)[], film: readonly Shown[]): readonly string[] => {
  const n = Math.floor(film.length / 3);
  return [0, 1].flatMap((patch) => {
    const [found = [], expected = []] = [film[n]?.patches[patch], wanted[n]?.patches[patch]];
    const is_near = found.length === 3 && found.every((v, c) => Math.abs(v - (expected[c] ?? 999)) <= MAX_COLOUR);
    const text = (rgb: readonly number[]): string => rgb.map((v) => v.toFixed(1)).join(' ');
    return is_near ? [] : [`colour ${patch}: ${text(found)}, not ${text(expected)}`];
  });
};

/** If a source lacks the drawn content, the test's file is at fault, not the engine. */
const sourceFaults = (form: Form, source: readonly TimedFrame[]): readonly string[] => {
  if (form.picture === null) return [];
  const distinct = new Set(source.map(({ number }) => number));
  const least = framesOfForm(form.picture) * (form.picture.interlaced ? 0.45 : 0.4);
  return distinct.has(-1) || distinct.size < least
    ? [`the source alone shows ${source.length} frames: ${[...distinct].slice(0, 8).join(' ')}`]
    : [];
};

const pictureFaults = async (form: Form, path: string, film: string): Promise<readonly string[]> => {
  if (form.picture === null) return [];
  const source = await sourceFrames(form, form.picture, path, await startOf(path));
  const shown = await filmFrames(film, form.picture);
  const frames = Math.round(filmLasts(form) * rateOf(form.composed_rate));
  const wanted = wantedFrames(form, source, shown.length);
  return [
    ...sourceFaults(form, source),
    ...(shown.length === frames ? [] : [`${shown.length} frames, not ${frames}`]),
    ...frameFaults(wanted, shown),
    ...colourFaults(wanted, shown),
  ];
};

const soundFaults = async (form: Form, path: string, film: string): Promise<readonly string[]> => {
  const { sound, picture } = form;
  if (sound === null) return [];
  const [alone, found] = [await sourceSound(form, path, await startOf(path)), await samplesOf(film)];
  const before_s = GAP_S.from - 0.1;
  const trim_s = trimOf(form);
  const wanted_s = (onsetAfter(alone, before_s) ?? 99) - trim_s;
  const turn_s =
    picture === null
      ? alone.length / 2 / 48_000
      : turnOf(form, await sourceFrames(form, picture, path, await startOf(path))) / rateOf(form.composed_rate);
  const late = sound.padded ? MAX_LATE_S.padded : MAX_LATE_S.exact;
  const onsets = (form.played === 'looped' ? [0, turn_s] : [0]).flatMap((after_s) => {
    const at_s = onsetAfter(found, before_s - trim_s + after_s);
    const is_near = at_s !== null && Math.abs(at_s - wanted_s - after_s) <= late;
    return is_near ? [] : [`sound begins again at ${at_s?.toFixed(4)}, not ${(wanted_s + after_s).toFixed(4)}`];
  });
  const [from_s, until_s] = form.played === 'trimmed' ? [0.85, 0.99] : [0.2, 0.6];
  const expected = levels(alone, from_s, until_s);
  const heard = levels(found, from_s - trim_s, until_s - trim_s);
  const is_level = heard.every((level, side) => Math.abs(level - (expected[side] ?? 99)) <= MAX_LEVEL_DB);
  const text = (both: readonly number[]): string => both.map((level) => level.toFixed(2)).join(' and ');
  return [...onsets, ...(is_level ? [] : [`level ${text(heard)} dB, not ${text(expected)} dB`])];
};

export const faultsOfForm = async (form: Form, folder: string): Promise<readonly string[]> => {
  const path = await makeForm(form, folder);
  const film = await renderForm(form, path, folder).catch((error: Error) => error);
  if (form.refused)
    return film instanceof Error && film.message.includes('unreadable_media') ? [] : ['it is not refused'];
  if (film instanceof Error) return [`it is not rendered: ${film.message}`];
  return [...(await pictureFaults(form, path, film)), ...(await soundFaults(form, path, film))];
};
