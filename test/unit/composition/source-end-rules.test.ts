import test from 'ava';
import type { LenientProject } from '../../../domain/composition/lenient-decode.ts';
import { trimFaults } from '../../../domain/composition/source-end-rules.ts';

const ENDS = new Map([
  ['short', 2],
  ['long', 60],
]);

const layer = (parts: object = {}) => ({ id: 'clip', type: 'video' as const, asset: 'short', trim_start: 0, ...parts });
const project = (layers: readonly ReturnType<typeof layer>[], more: Partial<LenientProject> = {}): LenientProject => ({
  main_composition_id: 'comp_main',
  compositions: [{ id: 'comp_main', layers }],
  ...more,
});
const drivenBy = (property: string, default_value: string): Partial<LenientProject> => ({
  templates: [
    { target_composition_id: 'comp_main', fields: [{ key: 'a', default_value, target: { layer: 'clip', property } }] },
  ],
});
const pathsOf = (of: LenientProject): readonly string[] => trimFaults(of, ENDS).map(({ path }) => path);

const AT = 'compositions[0].layers[0].trim_start';
const DEFAULT = 'templates[0].fields[0].default_value';

for (const [title, of, paths] of [
  ['before the end', project([layer({ trim_start: 1.999 })]), []],
  ['at the end', project([layer({ trim_start: 2 })]), [AT]],
  ['in a source of unknown length', project([layer({ asset: 'other', trim_start: 99 })]), []],
  ['in a hidden layer', project([layer({ trim_start: 99, visible: false })]), []],
  [
    'in a hidden layer that a template shows',
    project([layer({ trim_start: 99, visible: false })], drivenBy('visible', 'true')),
    [AT],
  ],
  ['at a default value', project([layer()], drivenBy('trim_start', '5')), [DEFAULT]],
  ['at a default that is not a number', project([layer()], drivenBy('trim_start', 'soon')), []],
  [
    'in an asset that a default sets',
    project([layer({ asset: 'long', trim_start: 5 })], drivenBy('asset', 'short')),
    [DEFAULT],
  ],
  [
    'in a layer of the main composition that every template corrects',
    project([layer({ trim_start: 5 })], drivenBy('asset', 'long')),
    [AT],
  ],
  [
    'in such a layer of a composition that only templates use',
    project([layer({ trim_start: 5 })], { main_composition_id: 'comp_other', ...drivenBy('asset', 'long') }),
    [],
  ],
  [
    'in a composition that nothing renders yet',
    project([layer({ trim_start: 5 })], { main_composition_id: 'comp_other' }),
    [],
  ],
] as const)
  test(`a part that begins ${title}`, (t) => t.deepEqual(pathsOf(of), paths));

test('an error is reported once, with the length of the source', (t) => {
  const twice = [...(drivenBy('opacity', '1').templates ?? []), ...(drivenBy('opacity', '0').templates ?? [])];
  t.deepEqual(trimFaults(project([layer({ trim_start: 2.5 })], { templates: twice }), new Map([['short', 1.03449]])), [
    { path: AT, message: 'must be before the end of "short" (1.034 s)' },
  ]);
  t.deepEqual(trimFaults(project([layer({ asset: 'long', trim_start: 5 })], drivenBy('asset', 'short')), ENDS), [
    { path: DEFAULT, message: "ends at 2 s, before the layer's trim_start (5 s)" },
  ]);
});
