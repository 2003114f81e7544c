import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import { FairTurns } from '../../../platform/http-server/fair-turns.ts';
import { checkProject } from '../../../render-commands/requesting/check-project.ts';
import { checkRows } from '../../../render-commands/requesting/check-rows.ts';

const field = (key: string, kind: string, default_value: string, layer: string, property: string) => ({
  ...{ key, kind, default_value },
  target: { layer, property },
});

const DOCUMENT = decodeProjectDocument({
  ...{ name: 'Sale', main_composition_id: 'comp_main', assets: [], variants: [] },
  compositions: [
    {
      ...{ id: 'comp_main', width: 320, height: 180, fps: 30, duration: 2 },
      layers: [
        { id: 'box', type: 'shape', x: 0, y: 0, width: 320, height: 180, color: '#00FF00' },
        { id: 'title', type: 'text', text: 'Sale', x: 0, y: 0, width: 300, height: 100 },
      ],
    },
  ],
  templates: [
    {
      ...{ id: 'tpl_1', name: 'Sale', target_composition_id: 'comp_main' },
      fields: [field('title', 'text', 'Sale', 'title', 'text'), field('band', 'color', '#00FF00', 'box', 'color')],
    },
  ],
});

const worldOf = ({ allowed = true, now = (): number => 0 } = {}) => {
  if (E.isLeft(DOCUMENT)) throw new Error(JSON.stringify(DOCUMENT.left));
  const document = DOCUMENT.right;
  const limits = async () => ({ allowed, headers: {}, retry_after_s: 2 });
  const parts = {
    documents: async () => document,
    ...{ checks: limits, check_batches: limits, clock: { monotonic: now } },
    check_turns: new FairTurns<string>(5, () => 0),
  };
  const writer = { team_ids: ['team_1'], findUploads: async () => new Map() };
  const find = async (id: string) =>
    id === 'proj_1' ? E.right({ id, version: 1 }) : E.left({ tag: 'not_found', message: 'there is no such project' });
  const checker = Object.assign(Object.create(null), { account_id: 'acc_1', writer, find });
  return {
    rows: async (body: unknown) => await checkRows(parts, checker, body),
    alone: async (body: unknown) => await checkProject(parts, checker, body),
  };
};

const OF_ALL = { project_id: 'proj_1', template_id: 'tpl_1', draft: true };

test('each row of a batch has the result of its check alone', async (t) => {
  const { rows, alone } = worldOf();
  const values = [
    { title: 'Oslo' },
    { title: 'Bergen', band: 'blue', titel: 'x' },
    {},
    { title: 12, band: '#0000FF' },
    { band: 'x', title: '\u0000' },
  ];
  const checked = await rows({ ...OF_ALL, rows: values.map((one) => ({ values: one })) });
  const one_by_one = await Promise.all(values.map((one) => alone({ ...OF_ALL, values: one })));
  // Only the check of one film has the times of its layers.
  const data = one_by_one.map((one) => (E.isRight(one) ? { ...one.right, layers: null } : t.fail(JSON.stringify(one))));
  t.deepEqual(checked, E.right({ data }));
  t.like(data, { 0: { valid: true, faults: [] }, 1: { valid: false, faults: { 0: { path: 'values.band' } } } });
});

test('a row with unreadable values has a fault, and others have results', async (t) => {
  const { rows } = worldOf();
  const sent = [{ values: { title: 'x'.repeat(10_001) } }, { values: 'Oslo' }, { values: { title: 'Oslo' } }, {}];
  t.like(await rows({ ...OF_ALL, rows: sent }), {
    right: {
      data: {
        0: { valid: false, faults: [{ path: 'values.title', message: 'must have at most 10000 characters' }] },
        1: { valid: false, faults: [{ path: 'values', message: 'must be an object' }] },
        2: { valid: true },
        3: { valid: true },
      },
    },
  });
});

test('a batch that takes long ends after the row that is late', async (t) => {
  let now = 0;
  const { rows } = worldOf({ now: () => (now += 400) });
  const checked = await rows({ ...OF_ALL, rows: Array.from({ length: 100 }, () => ({ values: {} })) });
  if (E.isLeft(checked)) return t.fail();
  t.is(Object(checked.right).data.length, 3);
  const late = worldOf({ now: () => (now += 5_000) });
  t.like(await late.rows({ ...OF_ALL, rows: [{}, {}] }), { right: { data: { length: 1 } } });
  return undefined;
});

test('no rows, too many rows and unknown projects are refused', async (t) => {
  const { rows } = worldOf();
  for (const sent of [undefined, [], 'x', [1], Array.from({ length: 101 }, () => ({}))])
    t.like(await rows({ ...OF_ALL, rows: sent }), { left: { tag: 'invalid', param: 'rows' } });
  t.like(await rows({ ...OF_ALL, project_id: 'proj_2', rows: [{}] }), { left: { tag: 'not_found' } });
  t.like(await rows({ rows: [{}] }), { left: { tag: 'invalid', param: 'project_id' } });
  t.like(await worldOf({ allowed: false }).rows({ ...OF_ALL, rows: [{}] }), { left: { tag: 'rate_limited' } });
});
