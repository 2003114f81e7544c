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
  ['of a source that is not known', project([layer({ asset: 'other', trim_start: 99 })]), []],
  ['of a layer that is hidden', project([layer({ trim_start: 99, visible: false })]), []],
  [
    'of a hidden layer that a template shows',
    project([layer({ trim_start: 99, visible: false })], drivenBy('visible', 'true')),
    [AT],
  ],
  ['by a default', project([layer()], drivenBy('trim_start', '5')), [DEFAULT]],
  ['by a default that is no number', project([layer()], drivenBy('trim_start', 'soon')), []],
  [
    'of an asset that a default brings',
    project([layer({ asset: 'long', trim_start: 5 })], drivenBy('asset', 'short')),
    [DEFAULT],
  ],
  [
    'of a layer that every template mends, in the main composition',
    project([layer({ trim_start: 5 })], drivenBy('asset', 'long')),
    [AT],
  ],
  [
    'the same in a composition of templates alone',
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

test('a fault is reported once, with the length of the source', (t) => {
  const twice = [...(drivenBy('opacity', '1').templates ?? []), ...(drivenBy('opacity', '0').templates ?? [])];
  t.deepEqual(trimFaults(project([layer({ trim_start: 2.5 })], { templates: twice }), new Map([['short', 1.03449]])), [
    { path: AT, message: 'must be before the end of "short" (1.034 s)' },
  ]);
  t.deepEqual(trimFaults(project([layer({ asset: 'long', trim_start: 5 })], drivenBy('asset', 'short')), ENDS), [
    { path: DEFAULT, message: "ends at 2 s, before the layer's trim_start (5 s)" },
  ]);
});
