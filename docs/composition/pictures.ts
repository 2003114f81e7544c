import {
  counterLayer,
  type DocumentationFigure,
  INK,
  mountainsLayer,
  musicLayer,
  panelPerTime,
  panelPerValue,
  plateLayer,
  TEAL,
  textLayers,
  YELLOW,
} from './picture.ts';
import { MOTION_FIGURES } from './pictures-of-motion.ts';
import { TEXT_FIGURES } from './pictures-of-text.ts';
import { TEXT_STYLE_FIGURES } from './pictures-of-text-style.ts';

const logo = (parts: object = {}) => ({
  ...{ id: 'logo', type: 'image', asset: 'logo-fjell', fit: 'contain', x: 30, y: 40, width: 180, height: 56 },
  ...parts,
});
const SHADED = { shadow_opacity: 0.8, shadow_x: 6, shadow_y: 6, shadow_blur: 5 };
const frame = { id: 'frame', type: 'shape', color: YELLOW, x: 80, y: 8, width: 80, height: 120 };

const SEEN: Readonly<Record<string, DocumentationFigure>> = {
  types: {
    shows: ['type'],
    panels: [
      { caption: 'video', layers: [mountainsLayer()] },
      { caption: 'image', layers: [logo()] },
      { caption: 'text', layers: textLayers({ align: 'center', vertical_align: 'middle' }).slice(1) },
      { caption: 'shape', layers: [plateLayer()] },
      { caption: 'audio', layers: [musicLayer()], sound: true },
    ],
  },
  background: {
    shows: ['background'],
    panels: [INK, TEAL].map((background) => ({
      caption: `background: "${background}"`,
      layers: [plateLayer()],
      background,
    })),
  },
  order: {
    shows: ['layers'],
    panels: [
      { caption: 'coral first', layers: [plateLayer(), plateLayer({ id: 'b', color: TEAL, x: 120, y: 60 })] },
      { caption: 'teal first', layers: [plateLayer({ id: 'b', color: TEAL, x: 120, y: 60 }), plateLayer()] },
    ],
  },
  visible: { shows: ['visible'], panels: panelPerValue('visible', [true, false], (parts) => [plateLayer(parts)]) },
  duration: {
    shows: ['start', 'duration'],
    panels: panelPerTime([0.9, 1, 2.9, 3], [plateLayer({ start: 1, duration: 2 })]),
  },
  fades: {
    shows: ['fade_in', 'fade_out'],
    panels: panelPerTime([0, 0.2, 0.5, 1, 3.2, 3.7], [plateLayer({ fade_in: 1, fade_out: 1 })]),
  },
  place: {
    shows: ['x', 'y'],
    panels: [
      { caption: 'x: 20, y: 10', layers: [plateLayer({ x: 20, y: 10 })] },
      { caption: 'x: 120, y: 60', layers: [plateLayer({ x: 120, y: 60 })] },
      { caption: 'x: -40, y: 96', layers: [plateLayer({ x: -40, y: 96 })] },
    ],
  },
  size: {
    shows: ['width', 'height'],
    panels: [
      { caption: 'width: 100, height: 60', layers: [plateLayer()] },
      { caption: 'width left out', layers: [plateLayer({ width: null })] },
      { caption: 'both left out', layers: [plateLayer({ width: null, height: null })] },
    ],
  },
  rotation: { shows: ['rotation'], panels: panelPerValue('rotation', [0, 20, -90], (parts) => [plateLayer(parts)]) },
  opacity: {
    shows: ['opacity'],
    panels: panelPerValue('opacity', [1, 0.4], (parts) => [mountainsLayer(), plateLayer(parts)]),
  },
  asset: { shows: ['asset'], panels: panelPerValue('asset', ['logo-fjell', 'logo-ember'], (parts) => [logo(parts)]) },
  fit: {
    shows: ['fit'],
    panels: panelPerValue('fit', ['cover', 'contain', 'fill'], (parts) => [
      frame,
      mountainsLayer({ x: 80, y: 8, width: 80, height: 120, ...parts }),
    ]),
  },
  crop: {
    shows: ['crop', 'left', 'top', 'right', 'bottom'],
    panels: [
      { caption: 'without crop', layers: [mountainsLayer()] },
      { caption: 'crop: {"left": 0.5}', layers: [mountainsLayer({ crop: { left: 0.5 } })] },
      { caption: 'three sides', layers: [mountainsLayer({ crop: { top: 0.3, right: 0.6, bottom: 0.1 } })] },
    ],
  },
  flip: {
    shows: ['flip'],
    panels: panelPerValue('flip', ['horizontal', 'vertical', 'both'], (parts) => [logo(parts)]),
  },
  'border-radius': {
    shows: ['border_radius'],
    panels: panelPerValue('border_radius', [0, 16, 56], (parts) => [
      mountainsLayer({ x: 64, y: 12, width: 112, height: 112, ...parts }),
    ]),
  },
  shadow: {
    shows: ['shadow_opacity'],
    panels: [
      {
        caption: 'video',
        layers: [mountainsLayer({ x: 60, y: 20, width: 120, height: 90, border_radius: 16, ...SHADED })],
      },
      { caption: 'image', layers: [logo(SHADED)] },
      { caption: 'shape', layers: [plateLayer(SHADED)] },
    ].map((panel) => ({ ...panel, background: TEAL })),
  },
  blur: {
    shows: ['blur'],
    panels: [0, 6].map((blur) => ({
      caption: `blur: ${blur}`,
      layers: [
        mountainsLayer({ x: 10, y: 10, width: 100, height: 116, blur }),
        plateLayer({ x: 130, y: 16, width: 90, height: 40, blur }),
        { id: 'words', type: 'text', text: 'Quiet', font_size: 32, x: 130, y: 76, width: 100, height: 50, blur },
      ],
    })),
  },
  'trim-start': {
    shows: ['trim_start'],
    panels: panelPerValue('trim_start', [0, 2], (parts) => [counterLayer(parts)], { at_s: 0.5 }),
  },
  'trim-end': {
    shows: ['trim_end'],
    panels: panelPerTime([0.5, 1.5, 2.5], [counterLayer({ trim_end: 2 })]),
  },
  speed: {
    shows: ['speed'],
    panels: panelPerValue('speed', [0.5, 1, 2], (parts) => [counterLayer(parts)], { at_s: 1.5 }),
  },
  loop: {
    shows: ['loop'],
    panels: panelPerValue('loop', [false, true], (parts) => [counterLayer({ trim_end: 2, ...parts })], { at_s: 2.5 }),
  },
  after: {
    shows: ['start'],
    panels: panelPerTime(
      [0.5, 1.5, 2.2],
      [
        plateLayer({ id: 'one', x: 20, width: 60, duration: 1 }),
        plateLayer({ id: 'two', x: 90, width: 60, color: TEAL, start: { after: 'one' }, duration: 1.5 }),
        plateLayer({ id: 'three', x: 160, width: 60, color: YELLOW, start: { after: 'two', offset: -0.5 } }),
      ],
    ),
  },
  media: {
    shows: ['duration'],
    panels: panelPerTime([0.5, 1.9, 2.1], [plateLayer(), counterLayer({ trim_end: 2, duration: 'media' })]),
  },
  volume: {
    shows: ['volume'],
    panels: panelPerValue('volume', [1, 0.3], (parts) => [musicLayer(parts)], { sound: true }),
  },
  'sound-fades': {
    shows: ['fade_in', 'fade_out'],
    panels: [
      { caption: 'without fades', layers: [musicLayer()], sound: true },
      { caption: 'fade_in: 1, fade_out: 2', layers: [musicLayer({ fade_in: 1, fade_out: 2 })], sound: true },
    ],
  },
  shape: { shows: ['shape'], panels: panelPerValue('shape', ['rectangle', 'ellipse'], (parts) => [plateLayer(parts)]) },
  'shape-color': {
    shows: ['color'],
    panels: panelPerValue('color', ['#FF7A59', '#3BB3A6'], (parts) => [plateLayer(parts)]),
  },
  fill: {
    shows: ['fill', 'angle', 'stops', 'offset'],
    panels: (['linear', 'radial', 'conic'] as const).map((type) => ({
      caption: type,
      layers: [
        plateLayer({
          ...{ x: 40, y: 18, width: 160, height: 100 },
          fill: {
            ...{ type, angle: 90 },
            stops: [YELLOW, '#FF7A59', TEAL].map((color, index) => ({ offset: index / 2, color })),
          },
        }),
      ],
    })),
  },
  radius: { shows: ['radius'], panels: panelPerValue('radius', [0, 8, 30], (parts) => [plateLayer(parts)]) },
};

const overlapping = (parts: object = {}) => [
  plateLayer({ x: 20, y: 10, ...parts }),
  plateLayer({ id: 'b', color: TEAL, x: 70, y: 30, ...parts }),
];

const GROUPS: Readonly<Record<string, DocumentationFigure>> = {
  group: {
    shows: ['layers', 'opacity'],
    panels: [
      { caption: 'opacity: 0.5 of both layers', layers: [mountainsLayer(), ...overlapping({ opacity: 0.5 })] },
      {
        caption: 'opacity: 0.5 of their group',
        layers: [mountainsLayer(), { id: 'both', type: 'group', layers: overlapping(), opacity: 0.5 }],
      },
    ],
  },
  'group-scale': {
    shows: ['layers', 'keyframes'],
    panels: panelPerTime(
      [0, 1, 2],
      [
        {
          id: 'both',
          type: 'group',
          layers: overlapping(),
          keyframes: {
            scale: [
              { time: 0, value: 0.5 },
              { time: 2, value: 1.1 },
            ],
          },
        },
      ],
    ),
  },
};

/** Every picture of docs/composition.md, by file name. */
export const FIGURES: Readonly<Record<string, DocumentationFigure>> = {
  ...SEEN,
  ...TEXT_FIGURES,
  ...TEXT_STYLE_FIGURES,
  ...MOTION_FIGURES,
  ...GROUPS,
};
