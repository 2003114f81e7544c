import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

const shape = (id: string, parts: object = {}) => ({ id, type: 'shape', color: '#E30613', ...parts });
const after = (id: string, from: string, start: number, parts: object = {}) =>
  shape(id, { start, transition: { type: 'cross_fade', from, duration: 1 }, ...parts });
const project = (...layers: unknown[]) =>
  projectJson({
    assets: [storedJson('song', 'audio')],
    compositions: [compositionJson({ layers })],
    templates: [],
  });
const faults = (...layers: unknown[]): readonly string[] => {
  const decoded = decodeProjectFile(project(...layers));
  return E.isLeft(decoded)
    ? decoded.left.map((fault) => faultText(fault).replace('compositions[0].layers', '')).toSorted()
    : [];
};

test('layers follow one another in any order of the list', (t) => {
  t.deepEqual(faults(shape('a'), after('b', 'a', 2), after('c', 'b', 4)), []);
  t.deepEqual(faults(after('c', 'b', 4), after('b', 'a', 2), shape('a')), []);
  t.deepEqual(faults(shape('a', { start: 2 }), after('b', 'a', 2)), [], 'all together');
});

test('a transition starts from another existing, visible layer', (t) => {
  t.deepEqual(
    faults(
      { id: 'song', type: 'audio', asset: 'song' },
      shape('hidden', { visible: false }),
      after('b', 'gone', 2),
      after('c', 'c', 2),
      after('d', 'song', 2),
      after('e', 'hidden', 2),
    ),
    [
      '[2].transition.from: there is no layer "gone"',
      '[3].transition.from: must be another layer',
      '[4].transition.from: "song" is an audio layer, which is not visible',
      '[5].transition.from: "hidden" is not visible',
    ],
  );
});

test('only one visible layer can replace another', (t) => {
  t.deepEqual(faults(shape('a'), after('b', 'a', 2), after('c', 'a', 4)), [
    '[2].transition.from: another layer already replaces "a"',
  ]);
  t.deepEqual(faults(shape('a'), after('b', 'a', 2, { visible: false }), after('c', 'a', 4)), []);
});

test('transitions form no cycles', (t) => {
  const told = 'transition.from: must not lead back to this layer';
  t.deepEqual(faults(after('a', 'c', 2), after('b', 'a', 2), after('c', 'b', 2), after('d', 'a', 5)), [
    `[0].${told}`,
    `[1].${told}`,
    `[2].${told}`,
    '[3].transition.from: another layer already replaces "a"',
  ]);
});

test('a transition starts after the former one and ends within its layer', (t) => {
  t.deepEqual(faults(shape('a', { start: 3 }), after('b', 'a', 2)), [
    '[1].transition.from: "a" begins after this layer',
  ]);
  t.deepEqual(faults(shape('a'), after('b', 'a', 2), after('c', 'b', 2.5)), [
    '[2].transition.from: "b" is still in its own transition when this layer begins',
  ]);
  t.deepEqual(faults(shape('a'), after('b', 'a', 2, { duration: 0.5 })), [
    "[1].transition.duration: must be at most the layer's duration",
  ]);
});

test('readable parts of a transition are checked despite unreadable ones', (t) => {
  t.deepEqual(faults(shape('a', { transition: { type: 'wipe', from: 'gone', duration: 0 } })), [
    '[0].transition.duration: must be > 0',
    '[0].transition.from: there is no layer "gone"',
    '[0].transition.type: must be one of cross_fade, slide',
  ]);
});

test('a value that hides one of the two layers removes the transition', (t) => {
  const toggle = (layer: string) => ({
    key: layer,
    kind: 'toggle',
    default_value: 'true',
    target: { layer, property: 'visible' },
  });
  const json = {
    ...project(shape('a'), after('b', 'a', 2)),
    templates: [templateJson({ fields: [toggle('a'), toggle('b')] })],
  };
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) return t.fail();
  const transitionWith = (values: Record<string, string>) => {
    const final = composeFinal(decoded.right, 'tpl_sale', values);
    if (E.isLeft(final)) throw new Error(final.left.message);
    const [, layer] = final.right.composition.layers;
    return layer?.type === 'shape' ? layer.transition?.from : 'no layer';
  };
  t.is(transitionWith({}), 'a');
  t.is(transitionWith({ a: 'false' }), undefined);
  t.is(transitionWith({ b: 'false' }), undefined);
});
