import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { filmFaults } from '../../../domain/composition/film-faults.ts';
import { compose } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson } from './_project.ts';

const shape = (id: string, parts: object = {}) => ({ id, type: 'shape', color: '#E30613', ...parts });
const clip = (id: string, parts: object = {}) => ({ id, type: 'video', asset: 'clip', duration: 'media', ...parts });
const after = (id: string, offset?: number) => ({
  start: offset === undefined ? { after: id } : { after: id, offset },
});

const FIELD = {
  ...{ key: 'clip', label: null, description: null, kind: 'video', widget: null, default_value: 'clip' },
  target: { layer: 'a', property: 'asset' },
};
const TEMPLATE = { id: 'tpl_1', name: 'One', description: null, target_composition_id: 'comp_main', fields: [FIELD] };

const project = (layers: readonly unknown[], parts: object = {}, more: object = {}) =>
  projectJson({
    assets: [{ ...storedJson('clip', 'video'), duration_s: 2.5 }, storedJson('old', 'video')],
    compositions: [compositionJson({ layers, duration: 'auto', fps: 10, poster_time: null, ...parts })],
    ...{ main_composition_id: 'comp_main', variants: [], templates: [] },
    ...more,
  });

const decoded = (layers: readonly unknown[], parts: object = {}, more: object = {}) => {
  const found = decodeProjectDocument({ ...project(layers, parts, more), engine: 7 });
  if (E.isLeft(found)) throw new Error(found.left.map(faultText).join('; '));
  return found.right;
};

const composed = (layers: readonly unknown[], parts: object = {}) => {
  const found = compose(decoded(layers, parts), null, {});
  if (E.isLeft(found)) throw new Error(found.left.message);
  return found.right;
};

const faults = (layers: readonly unknown[], parts: object = {}): readonly string[] => {
  const found = decodeProjectFile(project(layers, parts));
  return E.isLeft(found) ? found.left.map((fault) => faultText(fault).replace('compositions[0].', '')) : [];
};

/** Per layer `start-end`, then the length of the film. */
const times = (layers: readonly unknown[], parts: object = {}): string => {
  const { times: found, final } = composed(layers, parts);
  const shown = found.map(({ start_s, end_s }) => `${start_s}-${end_s}`);
  return `${shown.join(' ')} of ${final.composition.duration}`;
};

test('layers follow each other, in any order of the list', (t) => {
  const layers = [
    shape('c', { ...after('b', 0.5), duration: 1 }),
    shape('a', { start: 1, duration: 2 }),
    shape('b', { ...after('a', -0.5), duration: 3 }),
  ];
  t.is(times(layers), '6-7 1-3 2.5-5.5 of 7');
  const { final } = composed(layers);
  t.deepEqual(
    final.composition.layers.map(({ start }) => start),
    [6, 1, 2.5],
  );
  t.is(final.poster_frame, 18);
});

test('the film and its open layers end with the last layer', (t) => {
  t.is(times([shape('back'), shape('a', { start: 1, duration: 2 })]), '0-3 1-3 of 3');
  t.is(times([shape('a', { duration: 2 }), shape('b', { duration: 9, visible: false })]), '0-2 0-2 of 2');
  t.is(times([shape('a', { duration: 2.34 })]), '0-2.4 of 2.4');
});

test('a transition decides the end of the layer that it replaces', (t) => {
  const transition = { type: 'cross_fade', from: 'a', duration: 1 };
  const next = shape('b', { ...after('a', -1), duration: 3, transition });
  t.is(times([shape('a', { duration: 4 }), next]), '0-4 3-6 of 6');
  t.is(times([shape('a', { duration: 9 }), { ...next, start: 2 }]), '0-3 2-5 of 5');
});

test('the length of media counts in whole frames', (t) => {
  t.is(times([clip('a'), shape('b', { ...after('a'), duration: 1 })]), '0-2.5 2.5-3.5 of 3.5');
  t.is(times([clip('a', { trim_start: 0.5, speed: 2 }), shape('b', { ...after('a'), duration: 1 })]), '0-1 1-2 of 2');
  t.is(times([clip('a', { start: 0.25 })]), '0.3-2.8 of 2.8');
});

test('ends in rounded milliseconds are ends of frames', (t) => {
  const layers = [shape('a', { duration: 0.467 }), shape('b', { ...after('a', 0.033), duration: 0.5 })];
  t.is(times(layers, { fps: 30 }), `0-${14 / 30} 0.5-1 of 1`);
});

test('starts that cannot be resolved are errors with their places', (t) => {
  t.deepEqual(faults([shape('a', { ...after('b'), duration: 1 }), shape('b', { ...after('a'), duration: 1 })]), [
    'layers[1].start.after: must not lead back to this layer',
  ]);
  t.deepEqual(faults([shape('a', { ...after('a'), duration: 1 })]), ['layers[0].start.after: must be another layer']);
  t.deepEqual(faults([shape('intro', { duration: 1 }), shape('b', after('intra'))]), [
    'layers[1].start.after: there is no layer "intra"; did you mean "intro"?',
  ]);
  t.deepEqual(faults([shape('a'), shape('b', after('a'))], { duration: 3 }), [
    'layers[1].start.after: "a" reaches to the end of the composition: give it a duration',
  ]);
  t.deepEqual(faults([shape('a', { duration: 1 }), shape('b', after('a', -1.5))]), [
    'layers[1].start: is -0.5 s, because "a" ends at 1 s; must be >= 0',
  ]);
  t.deepEqual(faults([shape('a', { duration: 3600 }), shape('b', after('a', 1))]), [
    'layers[1].start: is 3601 s, because "a" ends at 3600 s; must be <= 3600',
  ]);
  t.deepEqual(faults([shape('a', { duration: 1 }), shape('b', after('a', 5))], { duration: 4 }), [
    'layers[1].start: must be before the end of the composition (4 s)',
  ]);
  t.deepEqual(faults([shape('a', { duration: 1, start: { after: 'x', offset: 'late', by: 1 } })]), [
    'layers[0].start.offset: must be a number',
    'layers[0].start.by: is not a known property',
  ]);
});

test('a film without an end is an error, and so is a long one', (t) => {
  const none = 'duration: is "auto", but no visible layer has an end: give a layer a duration';
  t.deepEqual(faults([shape('a')]), [none]);
  t.deepEqual(faults([]), [none]);
  t.deepEqual(faults([shape('a', { duration: 1, visible: false })]), [none]);
  t.deepEqual(faults([shape('a', { start: 3000, duration: 601 })]), [
    'duration: is "auto", and the last layer ends at 3601 s; must be <= 3600',
  ]);
});

test('times are checked again with the lengths of media', (t) => {
  const found = decodeProjectFile(project([clip('a'), shape('b', { ...after('a', -3), duration: 1 })]));
  t.true(E.isLeft(found));
  const document = decoded([clip('a'), shape('b', { ...after('a', -2), duration: 1 })], {}, { templates: [TEMPLATE] });
  t.deepEqual(filmFaults(document), []);
  const short = { ...document, assets: document.assets.map((asset) => ({ ...asset, duration_s: 1 })) };
  t.deepEqual(filmFaults(short).map(faultText), [
    'compositions[0].layers[1].start: is -1 s, because "a" ends at 1 s; must be >= 0',
    'templates[0]: cannot render its default values: layers[1].start: is -1 s, because "a" ends at 1 s; must be >= 0',
  ]);
});

test('a film has its largest possible length until its URL is fetched', (t) => {
  const document = decoded([clip('a'), shape('b', { ...after('a', -1), duration: 2 })], {}, { templates: [TEMPLATE] });
  const values = { clip: 'https://example.com/film.mp4' };
  const before = compose(document, 'tpl_1', values, 'to_be_fetched');
  t.like(before, { right: { is_longest: true, final: { composition: { duration: 3600 } } } });
  t.deepEqual(E.isRight(before) ? before.right.times : [], [
    { id: 'a', start_s: 0, end_s: null },
    { id: 'b', start_s: null, end_s: null },
  ]);
  const fetched = { id: 'value-clip', kind: 'video', sha256: 'b'.repeat(64), content_type: 'video/mp4' } as const;
  const of_field = new Map([['clip', { ...fetched, font_family: null, of_render: true }]]);
  const known = compose(document, 'tpl_1', values, of_field, new Map([['clip', 7]]));
  t.like(known, { right: { is_longest: false, final: { composition: { duration: 8 } } } });
  t.like(compose(document, 'tpl_1', values, of_field), { left: { field: 'values.clip' } });
});

test('the end of a trimmed part limits the largest length', (t) => {
  const document = decoded([clip('a', { trim_end: 4 })], {}, { templates: [TEMPLATE] });
  const before = compose(document, 'tpl_1', { clip: 'https://example.com/film.mp4' }, 'to_be_fetched');
  t.like(before, { right: { is_longest: true, final: { composition: { duration: 4 } } } });
});

test('a stored file without a length is an error that says what to do', (t) => {
  const found = compose(decoded([clip('a', { asset: 'old' })]), null, {});
  t.regex(
    E.isLeft(found) ? found.left.message : '',
    /^layers\[0\]\.asset: has an unknown length, .* upload the file again$/,
  );
});

test('a document keeps its starts as they were written', (t) => {
  const document = decoded([shape('b', { ...after('a'), duration: 1 }), shape('a', { start: 1, duration: 2 })]);
  t.deepEqual(
    document.compositions[0]?.layers.map(({ start }) => start),
    [{ after: 'a' }, 1],
  );
});
