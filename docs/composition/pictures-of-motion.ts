import {
  CORAL,
  type DocumentationFigure,
  type LayerJson,
  mountainsLayer,
  PANEL_SIZE,
  panelPerTime,
  plateLayer,
  TEAL,
} from './picture.ts';

const EASINGS = ['linear', 'ease_in', 'ease_out', 'ease_in_out', 'hold'] as const;

/** Five dots that start and arrive together, each with its own easing. */
const eased = EASINGS.flatMap((easing, index): readonly LayerJson[] => {
  const y = 6 + index * 26;
  const position = [
    { time: 0, x: 100, y, easing },
    { time: 2, x: 214, y },
  ];
  const name = { x: 6, y: y - 2, width: 94, height: 22, vertical_align: 'middle', font_size: 13 };
  return [
    { id: `name-${index}`, type: 'text', text: easing, ...name },
    {
      id: `dot-${index}`,
      type: 'shape',
      shape: 'ellipse',
      color: CORAL,
      width: 18,
      height: 18,
      keyframes: { position },
    },
  ];
});

const small = { x: 90, y: 48, width: 60, height: 40 };
const next = (transition: LayerJson): readonly LayerJson[] => [
  mountainsLayer(),
  { id: 'next', type: 'shape', color: TEAL, start: 1, transition: { from: 'mountains', duration: 1, ...transition } },
  { id: 'mark', type: 'shape', color: CORAL, x: 0, y: PANEL_SIZE.height - 6, width: PANEL_SIZE.width, height: 6 },
];

export const MOTION_FIGURES: Readonly<Record<string, DocumentationFigure>> = {
  'keyframes-position': {
    shows: ['keyframes', 'position'],
    panels: panelPerTime(
      [0, 0.5, 1, 2],
      [
        plateLayer({
          keyframes: {
            position: [
              { time: 0, x: 0, y: 0 },
              { time: 1, x: 140, y: 0 },
              { time: 2, x: 140, y: 76 },
            ],
          },
        }),
      ],
    ),
  },
  'keyframes-scale': {
    shows: ['keyframes', 'scale'],
    panels: panelPerTime(
      [0, 1, 2],
      [
        plateLayer({
          ...small,
          keyframes: {
            scale: [
              { time: 0, value: 0.5 },
              { time: 2, value: 2.5 },
            ],
          },
        }),
      ],
    ),
  },
  'keyframes-opacity': {
    shows: ['keyframes', 'opacity'],
    panels: panelPerTime(
      [0, 1, 2],
      [
        mountainsLayer(),
        plateLayer({
          keyframes: {
            opacity: [
              { time: 0, value: 0.1 },
              { time: 2, value: 1 },
            ],
          },
        }),
      ],
    ),
  },
  easing: { shows: ['easing', 'time'], panels: panelPerTime([0, 0.5, 1, 1.5, 2], eased) },
  'cross-fade': {
    shows: ['transition', 'type', 'from', 'duration'],
    panels: panelPerTime([0.9, 1.2, 1.5, 1.8, 2], next({ type: 'cross_fade' })),
  },
  slide: { shows: ['transition', 'type'], panels: panelPerTime([0.9, 1.2, 1.5, 1.8, 2], next({ type: 'slide' })) },
  'transition-sound': {
    shows: ['sound'],
    panels: ['equal_power', 'equal_gain'].map((sound) => ({
      caption: `sound: "${sound}"`,
      layers: [
        { id: 'rain', type: 'video', asset: 'rain', duration: 3 },
        {
          ...{ id: 'sea', type: 'video', asset: 'sea', start: 1, duration: 3 },
          transition: { type: 'cross_fade', from: 'rain', duration: 2, sound },
        },
      ],
      sound: true,
    })),
  },
  direction: {
    shows: ['direction'],
    panels: ['left', 'right', 'up', 'down'].map((direction) => ({
      caption: `direction: "${direction}"`,
      layers: next({ type: 'slide', direction }),
      at_s: 1.4,
    })),
  },
};
