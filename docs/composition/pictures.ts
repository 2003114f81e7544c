import {
  counter,
  type DocumentationFigure,
  each,
  INK,
  moments,
  mountains,
  music,
  plate,
  TEAL,
  words,
  YELLOW,
} from './picture.ts';
import { MOVING } from './pictures-of-motion.ts';
import { SET } from './pictures-of-text.ts';

const logo = (parts: object = {}) => ({
  ...{ id: 'logo', type: 'image', asset: 'logo-fjell', fit: 'contain', x: 30, y: 40, width: 180, height: 56 },
  ...parts,
});
const frame = { id: 'frame', type: 'shape', color: YELLOW, x: 80, y: 8, width: 80, height: 120 };

const SEEN: Readonly<Record<string, DocumentationFigure>> = {
  types: {
    shows: ['type'],
    panels: [
      { caption: 'video', layers: [mountains()] },
      { caption: 'image', layers: [logo()] },
      { caption: 'text', layers: words({ align: 'center', vertical_align: 'middle' }).slice(1) },
      { caption: 'shape', layers: [plate()] },
      { caption: 'audio', layers: [music()], sound: true },
    ],
  },
  background: {
    shows: ['background'],
    panels: [INK, TEAL].map((background) => ({
      caption: `background: "${background}"`,
      layers: [plate()],
      background,
    })),
  },
  order: {
    shows: ['layers'],
    panels: [
      { caption: 'coral first', layers: [plate(), plate({ id: 'b', color: TEAL, x: 120, y: 60 })] },
      { caption: 'teal first', layers: [plate({ id: 'b', color: TEAL, x: 120, y: 60 }), plate()] },
    ],
  },
  visible: { shows: ['visible'], panels: each('visible', [true, false], (parts) => [plate(parts)]) },
  duration: {
    shows: ['start', 'duration'],
    panels: moments([0.9, 1, 2.9, 3], [plate({ start: 1, duration: 2 })]),
  },
  fades: {
    shows: ['fade_in', 'fade_out'],
    panels: moments([0, 0.2, 0.5, 1, 3.2, 3.7], [plate({ fade_in: 1, fade_out: 1 })]),
  },
  place: {
    shows: ['x', 'y'],
    panels: [
      { caption: 'x: 20, y: 10', layers: [plate({ x: 20, y: 10 })] },
      { caption: 'x: 120, y: 60', layers: [plate({ x: 120, y: 60 })] },
      { caption: 'x: -40, y: 96', layers: [plate({ x: -40, y: 96 })] },
    ],
  },
  size: {
    shows: ['width', 'height'],
    panels: [
      { caption: 'width: 100, height: 60', layers: [plate()] },
      { caption: 'width left out', layers: [plate({ width: null })] },
      { caption: 'both left out', layers: [plate({ width: null, height: null })] },
    ],
  },
  rotation: { shows: ['rotation'], panels: each('rotation', [0, 20, -90], (parts) => [plate(parts)]) },
  opacity: { shows: ['opacity'], panels: each('opacity', [1, 0.4], (parts) => [mountains(), plate(parts)]) },
  asset: { shows: ['asset'], panels: each('asset', ['logo-fjell', 'logo-ember'], (parts) => [logo(parts)]) },
  fit: {
    shows: ['fit'],
    panels: each('fit', ['cover', 'contain', 'fill'], (parts) => [
      frame,
      mountains({ x: 80, y: 8, width: 80, height: 120, ...parts }),
    ]),
  },
  'trim-start': {
    shows: ['trim_start'],
    panels: each('trim_start', [0, 2], (parts) => [counter(parts)], { at_s: 0.5 }),
  },
  'trim-end': {
    shows: ['trim_end'],
    panels: moments([0.5, 1.5, 2.5], [counter({ trim_end: 2 })]),
  },
  speed: { shows: ['speed'], panels: each('speed', [0.5, 1, 2], (parts) => [counter(parts)], { at_s: 1.5 }) },
  loop: {
    shows: ['loop'],
    panels: each('loop', [false, true], (parts) => [counter({ trim_end: 2, ...parts })], { at_s: 2.5 }),
  },
  media: {
    shows: ['duration'],
    panels: moments([0.5, 1.9, 2.1], [plate(), counter({ trim_end: 2, duration: 'media' })]),
  },
  volume: { shows: ['volume'], panels: each('volume', [1, 0.3], (parts) => [music(parts)], { sound: true }) },
  'sound-fades': {
    shows: ['fade_in', 'fade_out'],
    panels: [
      { caption: 'without fades', layers: [music()], sound: true },
      { caption: 'fade_in: 1, fade_out: 2', layers: [music({ fade_in: 1, fade_out: 2 })], sound: true },
    ],
  },
  shape: { shows: ['shape'], panels: each('shape', ['rectangle', 'ellipse'], (parts) => [plate(parts)]) },
  'shape-color': { shows: ['color'], panels: each('color', ['#FF7A59', '#3BB3A6'], (parts) => [plate(parts)]) },
  radius: { shows: ['radius'], panels: each('radius', [0, 8, 30], (parts) => [plate(parts)]) },
};

/** Every picture of docs/composition.md, by file name. */
export const PICTURES: Readonly<Record<string, DocumentationFigure>> = { ...SEEN, ...SET, ...MOVING };
