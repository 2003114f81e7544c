import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson } from './_project.ts';

const decoded = (parts: object) =>
  decodeProjectDocument(
    projectJson({
      assets: [storedJson('photo', 'image')],
      compositions: [compositionJson({ layers: [{ id: 'photo', type: 'image', asset: 'photo', ...parts }] })],
      templates: [],
    }),
  );
const faults = (parts: object): readonly string[] => {
  const document = decoded(parts);
  return E.isLeft(document) ? document.left.map(faultText) : [];
};
const PATH = 'compositions[0].layers[0]';

test('a crop that leaves less than a hundredth of a side is refused', (t) => {
  t.deepEqual(faults({ crop: { left: 0.5, right: 0.49, bottom: 0.99 } }), []);
  t.deepEqual(faults({ crop: { left: 0.5, right: 0.5 } }), [`${PATH}.crop: left and right together must be <= 0.99`]);
  t.deepEqual(faults({ crop: { top: 0.9, bottom: 0.1 } }), [`${PATH}.crop: top and bottom together must be <= 0.99`]);
  t.is(faults({ crop: { left: -0.1, middle: 1 } }).length, 2);
});

test('a stored picture without framing gets no new members', (t) => {
  const document = decoded({});
  if (E.isLeft(document)) return t.fail();
  const [layer] = document.right.compositions[0]?.layers ?? [];
  for (const member of ['crop', 'flip', 'border_radius']) t.false(member in (layer ?? {}), member);
});
