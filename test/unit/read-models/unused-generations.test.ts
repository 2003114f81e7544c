import test from 'ava';
import { type GenerationDocument, groupByGeneration } from '../../../read-models/generations.ts';
import { generationNeedOf } from '../../../read-models/unused-generations.ts';

const pointer = (model_version: number, generation: number, more: Partial<GenerationDocument> = {}) => ({
  ...{ _id: `renders@${model_version}`, read_model: 'renders' as const, model_version, generation },
  ...{ serving: true, ends: [] },
  ...more,
});

const NOW = 1_000_000;

const tagsOf = (pointers: readonly GenerationDocument[], first: number | null, ...generations: readonly number[]) =>
  generations.map((generation) => generationNeedOf(generation, { pointers, first }, NOW).tag);

test('a serving generation is needed, an unnamed one is not', (t) => {
  t.deepEqual(tagsOf([pointer(3, 4)], null, 4, 3), ['needed', 'unused']);
});

test('a rebuild in progress is needed', (t) => {
  const rebuild = pointer(3, 6, { _id: 'renders@3/rebuild', serving: false });
  t.deepEqual(tagsOf([pointer(3, 4), rebuild], null, 4, 6, 5), ['needed', 'needed', 'unused']);
});

test('a new version and the serving one are needed, older ones are not', (t) => {
  const pointers = [pointer(2, 1), pointer(3, 4), pointer(4, 5, { serving: false })];
  t.deepEqual(tagsOf(pointers, null, 1, 4, 5), ['older_version', 'needed', 'needed']);
  t.deepEqual(tagsOf([pointer(2, 5, { serving: false })], 1, 1, 5), ['needed', 'needed']);
  t.deepEqual(tagsOf([pointer(2, 5)], 1, 1, 5), ['older_version', 'needed']);
});

test('a replaced generation is needed for a minute', (t) => {
  const replacedAt = (at: number) => [pointer(3, 4, { replaced: { generation: 2, at: new Date(at) } })];
  t.deepEqual(tagsOf(replacedAt(NOW - 59_000), null, 2), ['just_replaced']);
  t.deepEqual(tagsOf(replacedAt(NOW - 61_000), null, 2), ['unused']);
});

test('if no generation serves, all are needed', (t) => {
  t.deepEqual(tagsOf([], null, 1, 2), ['needed', 'needed']);
});

test('collections are identified by read model and number', (t) => {
  const names = ['renders_g1', 'render_audit_g1', 'audit_g1', 'renders_g12', 'sessions', 'orenders_g1', 'renders_gx'];
  t.deepEqual(
    [...groupByGeneration('renders', names)],
    [
      [1, ['renders_g1', 'render_audit_g1']],
      [12, ['renders_g12']],
    ],
  );
  t.deepEqual([...groupByGeneration('catalogue', names)], [[1, ['audit_g1']]]);
});
