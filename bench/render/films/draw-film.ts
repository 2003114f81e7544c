import { mulberry32 } from '../../../stack/testing/mulberry32.ts';
import {
  type Box,
  type Film,
  type FilmLayer,
  NAME_LAYER,
  type SoundLayer,
  type TextLayer,
  type VideoLayer,
} from './film.ts';
import { CLIPS, PHOTOS } from './sources.ts';

type Drawing = {
  readonly width: number;
  readonly height: number;
  readonly duration: number;
  readonly between: (least: number, most: number) => number;
  readonly oneOf: <T>(...of: readonly T[]) => T;
};

const COLORS = ['#14132E', '#B3261E', '#0B57D0', '#146C2E', '#F2B600'] as const;
const WORDS = [
  'New this week',
  'Only until Sunday',
  'Made for you',
  'See you there',
  'Our new shop',
  'From 9 to 5',
] as const;

/** Rounds to an even number of pixels, because chroma has half the resolution. */
const even = (value: number): number => 2 * Math.round(value / 2);
/** Rounds to half seconds, because they are whole frames. */
const half = (value: number): number => Math.round(2 * value) / 2;

const text = (
  id: string,
  words: string,
  font_size: number,
  box: Omit<Box, 'height'>,
  start: number,
  duration: number,
) =>
  ({
    ...{ type: 'text', id, text: words, font_size, font_weight: 700 },
    ...{ ...box, height: even(font_size * 1.6), start, duration },
  }) satisfies TextLayer;

const clip = (drawing: Drawing, id: string, box: Box, start: number, duration: number, volume: number): VideoLayer => ({
  ...{ type: 'video', id, asset: drawing.oneOf(...CLIPS), ...box, start, duration, volume },
  trim_start: Math.floor(drawing.between(0, 9)),
});

const frame = ({ width, height }: Drawing): Box => ({ x: 0, y: 0, width, height });

const bed = ({ duration }: Drawing): SoundLayer => ({
  ...{ type: 'audio', id: 'bed', asset: 'bed', start: 0, duration, volume: 0.4 },
});

const logo = ({ width, height, duration }: Drawing, until = duration): FilmLayer => {
  const side = even(height / 6);
  return {
    ...{ type: 'image', id: 'logo', asset: 'logo', x: even(width - 2.4 * side), y: 40, width: 2 * side, height: side },
    ...{ start: 0, duration: until },
  };
};

const name = (drawing: Drawing, box: Omit<Box, 'height'>, font_size: number, fades = true): FilmLayer => {
  const shown = Math.max(1, half(drawing.duration * drawing.between(0.1, 0.4)));
  const start = half(drawing.between(0, drawing.duration - shown));
  const layer = text(NAME_LAYER, 'Name', font_size, box, start, shown);
  return fades ? { ...layer, fade_in: 0.4, fade_out: 0.4 } : layer;
};

const promo = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height, duration } = drawing;
  const cut = half(duration * drawing.between(0.35, 0.65));
  const size = even(height / 9);
  return [
    clip(drawing, 'first', frame(drawing), 0, cut, 0.6),
    clip(drawing, 'second', frame(drawing), cut, duration - cut, 0.6),
    logo(drawing),
    {
      ...text(
        'line',
        drawing.oneOf(...WORDS),
        size,
        { x: 80, y: even(height * 0.3), width: width - 160 },
        0.5,
        cut - 0.5,
      ),
      fade_in: 0.5,
    },
    name(drawing, { x: 80, y: even(height * 0.6), width: width - 160 }, size),
    bed(drawing),
  ];
};

/** A bar with the name: it slides in from the left by fractions of a pixel, stays, and disappears at its end. */
const lowerThird = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height } = drawing;
  const third = name(drawing, { x: 100, y: even(height * 0.76), width: even(width / 2) }, even(height / 14));
  const box = { x: 60, y: even(height * 0.74), width: even(width * 0.55), height: even(height * 0.16) };
  const { start, duration } = third;
  const ways = [
    { time: 0, x: -width * 0.2 + drawing.between(0, 1), y: box.y + drawing.between(0, 1) },
    { time: 0.5, x: box.x, y: box.y },
  ] as const;
  return [
    clip(drawing, 'film', frame(drawing), 0, drawing.duration, 1),
    {
      ...{ type: 'shape', id: 'bar', color: drawing.oneOf(...COLORS), ...box, opacity: 0.85, start, duration },
      ...{ keyframes: { position: ways }, fade_in: 0.3, fade_out: 0.3 },
    },
    third,
    logo(drawing),
  ];
};

const pictureInPicture = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height, duration } = drawing;
  const [w, h] = [even(width * 0.3), even(height * 0.3)];
  const [x, y] = [drawing.oneOf(60, width - w - 60), height - h - 60];
  const start = half(duration * drawing.between(0.05, 0.3));
  const shown = half((duration - start) * drawing.between(0.5, 1));
  return [
    clip(drawing, 'film', frame(drawing), 0, duration, 0.7),
    {
      ...{ type: 'shape', id: 'border', color: '#FFFFFF', x: x - 6, y: y - 6, width: w + 12, height: h + 12 },
      ...{ start, duration: shown },
    },
    clip(drawing, 'inset', { x, y, width: w, height: h }, start, shown, 0.5),
    name(drawing, { x: 80, y: 60, width: even(width * 0.6) }, even(height / 11)),
  ];
};

/** Photos that grow or shrink slowly, each fading in over the previous one. */
const slideshow = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height, duration } = drawing;
  const count = Math.max(2, Math.min(5, Math.round(duration / 4)));
  const each = half(duration / count);
  const photos = Array.from({ length: count }, (_, n): FilmLayer => {
    const grown = 1 + drawing.between(0.06, 0.15);
    const [from, until] = drawing.oneOf([1, grown] as const, [grown, 1] as const);
    const shown = n === count - 1 ? duration - n * each : each + 0.5;
    const scale = [
      { time: 0, value: from },
      { time: shown, value: until },
    ] as const;
    return {
      ...{
        type: 'image',
        id: `photo-${n}`,
        asset: PHOTOS[n % PHOTOS.length] ?? '',
        ...frame(drawing),
        start: n * each,
      },
      ...{ duration: shown, keyframes: { scale }, ...(n === 0 ? {} : { fade_in: 0.5 }) },
    };
  });
  return [
    ...photos,
    name(drawing, { x: 80, y: even(height * 0.75), width: width - 160 }, even(height / 10)),
    bed(drawing),
  ];
};

const captions = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height, duration } = drawing;
  const size = even(Math.min(width, height) / 16);
  const count = Math.min(8, Math.floor(duration / 2));
  const lines = Array.from({ length: count }, (_, n): FilmLayer => {
    const box = { x: even(width * 0.1), y: even(height * 0.84), width: even(width * 0.8) };
    const shown = half(drawing.between(1, duration / count));
    const line = text(`caption-${n}`, drawing.oneOf(...WORDS), size, box, half((n * duration) / count), shown);
    return { ...line, background: '#14132E', padding: 8, height: even(size * 1.6) + 16 };
  });
  return [
    clip(drawing, 'film', frame(drawing), 0, duration, 1),
    ...lines,
    name(drawing, { x: even(width * 0.1), y: even(height * 0.1), width: even(width * 0.8) }, size, false),
  ];
};

const splitScreen = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height, duration } = drawing;
  const w = even(width / 2);
  const size = even(height / 12);
  const bar = { x: 0, y: even(height * 0.8), width, height: height - even(height * 0.8) };
  return [
    clip(drawing, 'left', { x: 0, y: 0, width: w, height }, 0, duration, 0.5),
    clip(drawing, 'right', { x: w, y: 0, width: width - w, height }, 0, duration, 0.5),
    { type: 'shape', id: 'bar', color: drawing.oneOf(...COLORS), ...bar, opacity: 0.8, start: 0, duration },
    name(drawing, { x: 60, y: even(height * 0.84), width: w }, size),
    bed(drawing),
  ];
};

/** A photo in the background, the video across the middle, texts above and below. */
const vertical = (drawing: Drawing): readonly FilmLayer[] => {
  const { width, height, duration } = drawing;
  const h = even((width * 9) / 16);
  const size = even(width / 10);
  const ways = [
    { time: 0, x: drawing.between(0, 30), y: height * 0.1 },
    { time: duration, x: width * 0.3, y: height * 0.1 + drawing.between(2, 12) },
  ] as const;
  return [
    { type: 'image', id: 'ground', asset: drawing.oneOf(...PHOTOS), ...frame(drawing), start: 0, duration },
    clip(drawing, 'film', { x: 0, y: even((height - h) / 2), width, height: h }, 0, duration, 1),
    {
      ...{ type: 'image', id: 'logo', asset: 'logo', x: 0, y: 0, width: even(width / 2), height: even(width / 4) },
      ...{ start: 0, duration, keyframes: { position: ways } },
    },
    name(drawing, { x: 40, y: even(height * 0.75), width: width - 80 }, size),
  ];
};

const KINDS = [
  ['promo', promo],
  ['lower third', lowerThird],
  ['picture in picture', pictureInPicture],
  ['slideshow', slideshow],
  ['captions', captions],
  ['split screen', splitScreen],
  ['vertical', vertical],
] as const;

export type DurationRange = { readonly least_s: number; readonly most_s: number };

/** Film `n` of a seed. The kinds alternate, so that no seed omits one. Other parameters are random. */
export const generateFilm = (seed: number, n: number, { least_s, most_s }: DurationRange): Film => {
  const next = mulberry32(Math.imul(seed, 1_000_003) + n);
  const between = (least: number, most: number): number => least + next() * (most - least);
  const oneOf = <T>(...of: readonly T[]): T => {
    const chosen = of[Math.floor(next() * of.length)];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  };
  const [kind, layers] = KINDS[n % KINDS.length] ?? KINDS[0];
  const [long, short] = oneOf([1280, 720] as const, [1280, 720] as const, [1920, 1080] as const);
  const [width, height] = kind === 'vertical' ? [short, long] : [long, short];
  const duration = Math.round(between(least_s, most_s));
  return { kind, width, height, duration, layers: layers({ width, height, duration, between, oneOf }) };
};
