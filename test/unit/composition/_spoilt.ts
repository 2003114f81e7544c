import fc from 'fast-check';
import { changedAt, type JsonPath, placesIn } from './_json-paths.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

const FIELDS = [
  {
    key: 'brand',
    kind: 'color',
    default_value: '#112233',
    targets: [
      { layer: 'bar', property: 'color' },
      { layer: 'title', property: 'color' },
    ],
    choices: ['#112233', '#445566'],
  },
  {
    key: 'size',
    kind: 'number',
    default_value: '48',
    target: { layer: 'title', property: 'font_size' },
    min: 10,
    max: 90.5,
  },
  {
    key: 'headline',
    kind: 'text',
    default_value: 'Hi',
    target: { layer: 'title', property: 'text' },
    max_length: 40,
  },
  { key: 'price', kind: 'number', default_value: '12.5', choices: ['12.5', '20'] },
];

const FOUR_LAYERS = Object(compositionJson()).layers;

export const PROJECT = projectJson({
  engine: 7,
  assets: [storedJson('clip', 'video'), storedJson('logo', 'image'), storedJson('song', 'audio')],
  compositions: [
    compositionJson({
      poster_time: 2,
      layers: [
        ...FOUR_LAYERS,
        { id: 'offer', type: 'text', text: '{{{{ {{headline | upper}}: {{price | currency: EUR, de}}', height: 40 },
      ],
    }),
    compositionJson({
      id: 'comp_moving',
      layers: [
        { id: 'a', type: 'video', asset: 'clip', trim_start: 1, trim_end: 3, speed: 2, duration: 'media', loop: true },
        {
          id: 'b',
          type: 'shape',
          color: '#E30613',
          width: 400,
          height: 300,
          start: 2,
          rotation: 30,
          keyframes: {
            position: [
              { time: 0, x: 0, y: 0 },
              { time: 1, x: 50, y: 20, easing: 'ease_out' },
            ],
            scale: [{ time: 0, value: 2 }],
          },
          transition: { type: 'slide', from: 'a', duration: 1, direction: 'up' },
        },
        { id: 'c', type: 'image', asset: 'logo', start: 4, transition: { type: 'cross_fade', from: 'b', duration: 1 } },
      ],
    }),
    compositionJson({ id: 'comp_other', layers: [{ id: 'sound', type: 'audio', asset: 'song' }] }),
  ],
  templates: [templateJson(), templateJson({ id: 'tpl_2', fields: FIELDS })],
  master: { codec: 'h265', crf: 30 },
  preview: { start: 1 },
});
const PLACES = placesIn(PROJECT);

const wrong = fc.oneof(
  fc.constantFrom<unknown>(undefined, null, '', 0, -1, 1, 2, 0.5, 1e9, 4096, 8192, true, [], {}, '30/0', '1e5'),
  fc.constantFrom<unknown>('comp_main', 'comp_gone', 'tpl_sale', 'clip', 'logo', 'title', 'text', 'audio', '#12345'),
  fc.constantFrom<unknown>(
    '\u0000',
    '\ud800',
    '🎉',
    '__proto__',
    'x'.repeat(11_000),
    Array.from({ length: 600 }, () => 0),
  ),
  fc.jsonValue({ maxDepth: 3 }),
);
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('__proto__', 'constructor', 'a.b', '', '0', '["x"]'),
);
export type Change = { readonly place: JsonPath; readonly value: unknown };
const change = fc.oneof(
  fc.record({ place: fc.constantFrom(...PLACES), value: wrong }),
  fc
    .record({ place: fc.constantFrom(...PLACES), name, value: wrong })
    .map(({ place, name: member, value }) => ({ place: [...place, member], value })),
);
const spoilt = fc
  .array(change, { minLength: 1, maxLength: 6 })
  .map((changes: readonly Change[]) =>
    changes.reduce<unknown>((json, { place, value }) => changedAt(json, place, value), PROJECT),
  );

/** The document as read from a file, with JSON values only. */
export const parsed = fc
  .oneof({ weight: 4, arbitrary: spoilt }, { weight: 1, arbitrary: fc.jsonValue() })
  .map((json): unknown => JSON.parse(JSON.stringify(json) ?? 'null'));
