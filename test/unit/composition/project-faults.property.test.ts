import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { runs } from '../../helpers/runs.ts';
import { changedAt, existsOrIsMissing, placeOf } from './_json-paths.ts';
import { type Change, PROJECT, parsed } from './_spoilt.ts';

for (const [title, decode] of [
  ['project files', decodeProjectFile],
  ['stored documents', decodeProjectDocument],
] as const) {
  test(`${title}: the decoder never throws, and each fault names a place`, (t) => {
    fc.assert(
      fc.property(parsed, (json) => {
        const decoded = decode(json);
        if (E.isRight(decoded)) return;
        t.true(decoded.left.length > 0);
        for (const fault of decoded.left) {
          const place = placeOf(fault.path);
          if (place === null || !existsOrIsMissing(json, place)) throw new Error(faultText(fault));
        }
      }),
      { numRuns: runs(3_000) },
    );
  });
}

test('the project that these tests change is valid at first', (t) => {
  t.true(E.isRight(decodeProjectDocument(PROJECT)));
});

test('a decoded document round-trips', (t) => {
  fc.assert(
    fc.property(parsed, (json) => {
      const decoded = decodeProjectFile(json);
      if (E.isLeft(decoded)) return;
      t.deepEqual(decodeProjectFile(JSON.parse(canonicalJson(decoded.right))), decoded);
    }),
    { numRuns: runs(1_000) },
  );
});

test('two independent errors are reported together', (t) => {
  const faultsOf = (json: unknown): readonly string[] => {
    const decoded = decodeProjectFile(json);
    return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
  };
  // A fault of shape in one place and one of reference in another: each is found with and without the other.
  const shapes: readonly Change[] = [
    { place: ['name'], value: '' },
    { place: ['compositions', 0, 'background'], value: 'red' },
    { place: ['compositions', 0, 'layers', 0, 'opacity'], value: 7 },
    { place: ['assets', 0, 'size_bytes'], value: -1 },
    { place: ['templates', 0, 'fields', 1, 'label'], value: 5 },
    { place: ['variants', 0, 'crf'], value: 99 },
    { place: ['compositions', 1, 'layers', 2, 'rotation'], value: 999 },
    { place: ['compositions', 1, 'layers', 1, 'keyframes', 'position', 1, 'time'], value: 0 },
  ];
  const references: readonly Change[] = [
    { place: ['main_composition_id'], value: 'comp_gone' },
    { place: ['templates', 0, 'target_composition_id'], value: 'comp_gone' },
    { place: ['templates', 0, 'fields', 0, 'target', 'layer'], value: 'gone' },
    { place: ['templates', 0, 'fields', 0, 'kind'], value: 'number' },
    { place: ['templates', 0, 'fields', 3, 'default_value'], value: 'big' },
    { place: ['compositions', 0, 'layers', 1, 'asset'], value: 'gone' },
    { place: ['compositions', 0, 'layers', 2, 'font_family'], value: 'Comic Sans' },
    { place: ['compositions', 0, 'layers', 2, 'start'], value: 11 },
    { place: ['compositions', 0, 'width'], value: 1281 },
    { place: ['compositions', 0, 'poster_time'], value: 10 },
    { place: ['assets', 2, 'id'], value: 'logo' },
    { place: ['master', 'crf'], value: 60 },
    { place: ['preview', 'start'], value: 20 },
    { place: ['compositions', 1, 'layers', 0, 'trim_end'], value: 0.5 },
    { place: ['compositions', 1, 'layers', 2, 'transition', 'from'], value: 'gone' },
    { place: ['compositions', 1, 'layers', 2, 'start'], value: 2.5 },
  ];
  fc.assert(
    fc.property(fc.constantFrom(...shapes), fc.constantFrom(...references), (shape, reference) => {
      const [one, other] = [shape, reference].map(({ place, value }) => faultsOf(changedAt(PROJECT, place, value)));
      const both = faultsOf(changedAt(changedAt(PROJECT, shape.place, shape.value), reference.place, reference.value));
      t.deepEqual(both, [...(one ?? []), ...(other ?? [])]);
    }),
    { numRuns: runs(300) },
  );
});
