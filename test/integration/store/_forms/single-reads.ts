import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import type { Form } from './form.ts';

const renders = [
  { _id: 'rend_1', status: 'complete', open: false, render: { name: 'One', created_at: 1_763_700_000_000 } },
  { _id: 'rend_2', status: 'ready', open: true, render: { name: 'Two', created_at: 1_763_700_000_001 } },
];
const keys = [
  { _id: 'key_1', secret_sha256: 'aa', account_id: 'acc_1' },
  { _id: 'key_2', secret_sha256: 'ab', account_id: 'acc_1' },
];

const SHOWN = { render: 1, name: 1, facts: 1, partition: 1, ignored_count: 1 } as const;

export const SINGLE_READS: readonly Form[] = [
  {
    name: 'a document by its id',
    used_by: [
      'read-models/renders/renders.ts',
      'read-models/renders/live-progress.ts',
      'read-models/renders/folded-requests.ts',
      'read-models/catalogue/catalogue.ts',
      'read-models/generations.ts',
      'read-models/audit/audit.ts',
      'platform/read-store/consumer-positions.ts',
      'platform/read-store/stopped-partitions.ts',
      'read-models/quarantine.ts',
      'read-models/renders/unfinished-renders.ts',
      'read-models/catalogue/management.ts',
      'projectors/checkpoint/projection-task.ts',
      'projectors/generations/rebuild.ts',
      'projectors/verification/sample-renders.ts',
      'read-models/rebuilds.ts',
      'read-models/unused-generations.ts',
    ],
    documents: renders,
    operation: ({ things }) => things.findOne({ _id: 'rend_2' }, queryTimeout()),
    expected: renders[1],
  },
  {
    name: 'one document that has any of the keys in its list',
    used_by: ['read-models/catalogue/asset-versions.ts'],
    documents: [
      { _id: 'proj_1:1', asset_keys: ['team_1/aa', 'team_1/ab'] },
      { _id: 'proj_2:1', asset_keys: ['team_2/aa'] },
      { _id: 'proj_3:1' },
    ],
    indexes: [{ key: { asset_keys: 1 }, sparse: true }],
    operation: async ({ things }) => {
      const idOf = async (keys: readonly string[]) =>
        (await things.findOne({ asset_keys: { $in: [...keys] } }, queryTimeout()))?._id ?? null;
      return [await idOf(['team_1/ab']), await idOf(['team_3/aa', 'team_2/aa']), await idOf(['team_3/ab'])];
    },
    expected: ['proj_1:1', 'proj_2:1', null],
  },
  {
    name: 'valid keys of a user, with a later expiry or none',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'key_1', user_id: 'user_1', revoked_at: null, expires_at: null },
      { _id: 'key_2', user_id: 'user_1', revoked_at: null, expires_at: 10 },
      { _id: 'key_3', user_id: 'user_1', revoked_at: null, expires_at: 11 },
      { _id: 'key_4', user_id: 'user_1', revoked_at: 5, expires_at: null },
      { _id: 'key_5', user_id: null, revoked_at: null, expires_at: null },
    ],
    indexes: [{ key: { user_id: 1 } }],
    operation: async ({ things }) => {
      const in_force = { revoked_at: null, $or: [{ expires_at: null }, { expires_at: { $gt: 10 } }] };
      const found = await things.find({ user_id: 'user_1', ...in_force }, queryTimeout()).toArray();
      return found.map(({ _id }) => _id).toSorted();
    },
    expected: ['key_1', 'key_3'],
  },
  {
    name: 'ids of the projects of a team, all or some that are not erased',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'proj_1', team_id: 'team_1', name: 'P' },
      { _id: 'proj_2', team_id: 'team_1', name: null, erased: { at: 5 } },
      { _id: 'proj_3', team_id: 'team_1', name: null },
      { _id: 'proj_4', team_id: 'team_2', name: 'P' },
    ],
    indexes: [{ key: { team_id: 1 } }],
    operation: async ({ things }) => {
      const ids = { projection: { _id: 1 }, ...queryTimeout() };
      const all = await things.find({ team_id: 'team_1' }, ids).toArray();
      const there = await things
        .find({ team_id: 'team_1', erased: { $exists: false } }, ids)
        .limit(5)
        .toArray();
      return [all, there].map((found) => found.map((one) => Object.values(one)).toSorted());
    },
    expected: [
      [['proj_1'], ['proj_2'], ['proj_3']],
      [['proj_1'], ['proj_3']],
    ],
  },
  {
    name: 'documents whose list has a value, newest first',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'key_1', team_ids: ['team_1', 'team_2'], created_at: 1 },
      { _id: 'key_2', team_ids: ['team_2'], created_at: 3 },
      { _id: 'key_3', team_ids: ['team_1'], created_at: 2 },
      { _id: 'key_4', team_ids: [], created_at: 4 },
    ],
    indexes: [{ key: { team_ids: 1 } }],
    operation: async ({ things }) => {
      const newest = things.find({ team_ids: 'team_1' }, queryTimeout()).sort({ created_at: -1, _id: -1 });
      return (await newest.limit(10).toArray()).map(({ _id }) => _id);
    },
    expected: ['key_3', 'key_1'],
  },
  {
    name: 'valid documents whose list has a value, with a later expiry or none',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'key_1', team_ids: ['team_1', 'team_2'], created_at: 1, revoked_at: null, expires_at: null },
      { _id: 'key_2', team_ids: ['team_1'], created_at: 3, revoked_at: null, expires_at: 10 },
      { _id: 'key_3', team_ids: ['team_1'], created_at: 2, revoked_at: null, expires_at: 11 },
      { _id: 'key_4', team_ids: ['team_1'], created_at: 4, revoked_at: 5, expires_at: null },
      { _id: 'key_5', team_ids: ['team_2'], created_at: 5, revoked_at: null, expires_at: null },
    ],
    indexes: [{ key: { team_ids: 1 } }],
    operation: async ({ things }) => {
      const in_force = { revoked_at: null, $or: [{ expires_at: null }, { expires_at: { $gt: 10 } }] };
      const newest = things.find({ team_ids: 'team_1', ...in_force }, queryTimeout()).sort({ created_at: -1, _id: -1 });
      return (await newest.limit(10).toArray()).map(({ _id }) => _id);
    },
    expected: ['key_3', 'key_1'],
  },
  {
    name: 'a missing document by its id',
    used_by: [],
    documents: renders,
    operation: ({ things }) => things.findOne({ _id: 'rend_' }, queryTimeout()),
    expected: null,
  },
  {
    name: 'a document by its id in a missing collection',
    used_by: [],
    operation: ({ store }) => store.db.collection('nowhere').findOne({ status: 'ready' }, queryTimeout()),
    expected: null,
  },
  {
    name: 'a document by a numeric id: a partition, an offset',
    used_by: ['projectors/checkpoint/checkpoint-store.ts', 'read-models/catalogue/management.ts'],
    documents: [
      { _id: 0, next: 5 },
      { _id: 10, next: 6 },
      { _id: '10', next: 7 },
    ],
    operation: ({ things }) => things.findOne({ _id: 10 }),
    expected: { _id: 10, next: 6 },
  },
  {
    name: 'the kind and the name of a document',
    used_by: ['read-models/renders/erasable-renders.ts', 'read-models/renders/folded-requests.ts'],
    documents: renders,
    operation: async ({ things }) => {
      const named = { projection: { partition: 1, facts: 1, render: 1, name: 1 }, ...queryTimeout() };
      const found = await things.findOne({ _id: 'rend_1' }, { projection: { render: 1, facts: 1 }, ...queryTimeout() });
      return [found, await things.findOne({ _id: 'rend_1' }, named)];
    },
    expected: [
      { _id: 'rend_1', render: { name: 'One', created_at: 1_763_700_000_000 } },
      { _id: 'rend_1', render: { name: 'One', created_at: 1_763_700_000_000 } },
    ],
  },
  {
    name: 'only the id of a document',
    used_by: [],
    documents: renders,
    operation: ({ things }) => things.findOne({ _id: 'rend_1' }, { projection: { _id: 1 }, ...queryTimeout() }),
    expected: { _id: 'rend_1' },
  },
  {
    name: 'one field of a document',
    used_by: ['read-models/catalogue/catalogue.ts'],
    documents: renders,
    operation: ({ things }) => things.findOne({ _id: 'rend_1' }, { projection: { status: 1 }, ...queryTimeout() }),
    expected: { _id: 'rend_1', status: 'complete' },
  },
  {
    name: "the version of a project's thumbnail",
    used_by: ['read-models/catalogue/catalogue.ts'],
    documents: [{ _id: 'proj_1', version: 2, path: 'projects/proj_1/thumbnails/2.jpg' }],
    operation: ({ things }) => things.findOne({ _id: 'proj_1' }, { projection: { version: 1 }, ...queryTimeout() }),
    expected: { _id: 'proj_1', version: 2 },
  },
  {
    name: 'the available credits of an account',
    used_by: ['read-models/catalogue/catalogue.ts'],
    documents: [{ _id: 'acc_1', name: 'Acme', unlimited_credits: false, granted_credits: 70 }],
    operation: ({ things }) =>
      things.findOne({ _id: 'acc_1' }, { projection: { unlimited_credits: 1, granted_credits: 1 }, ...queryTimeout() }),
    expected: { _id: 'acc_1', unlimited_credits: false, granted_credits: 70 },
  },
  {
    name: 'a render with its events, without its search tokens',
    used_by: ['read-models/renders/renders.ts'],
    documents: [
      {
        _id: 'rend_1',
        partition: 3,
        render: { name: 'One' },
        facts: [{ offset: 1 }],
        ignored_count: 2,
        search: ['p:one'],
      },
    ],
    operation: ({ things }) => things.findOne({ _id: 'rend_1' }, { projection: SHOWN, ...queryTimeout() }),
    expected: { _id: 'rend_1', partition: 3, render: { name: 'One' }, facts: [{ offset: 1 }], ignored_count: 2 },
  },
  {
    name: 'the position and the facts of a document',
    used_by: ['read-models/renders/folded-requests.ts'],
    documents: [
      {
        _id: 'rend_1',
        partition: 3,
        render: { name: 'One' },
        facts: [{ offset: 1 }],
        ignored_count: 2,
        search: ['p:one'],
      },
    ],
    operation: async ({ things }) => [
      await things.findOne({ _id: 'rend_1' }, { projection: { partition: 1, facts: 1 }, ...queryTimeout() }),
      await things
        .find({ _id: { $in: ['rend_1'] } }, { projection: { partition: 1, facts: 1 }, ...queryTimeout() })
        .toArray(),
      await things.find({ _id: { $in: ['rend_1'] } }, { projection: SHOWN, ...queryTimeout() }).toArray(),
    ],
    expected: [
      { _id: 'rend_1', partition: 3, facts: [{ offset: 1 }] },
      [{ _id: 'rend_1', partition: 3, facts: [{ offset: 1 }] }],
      [{ _id: 'rend_1', partition: 3, render: { name: 'One' }, facts: [{ offset: 1 }], ignored_count: 2 }],
    ],
  },
  {
    name: 'a key by the hash of its secret',
    used_by: [],
    documents: keys,
    indexes: [{ key: { secret_sha256: 1 } }],
    operation: ({ things }) => things.findOne({ secret_sha256: 'ab' }, queryTimeout()),
    expected: keys[1],
  },
  {
    name: 'a missing key by the hash of its secret',
    used_by: [],
    documents: keys,
    indexes: [{ key: { secret_sha256: 1 } }],
    operation: ({ things }) => things.findOne({ secret_sha256: 'a' }, queryTimeout()),
    expected: null,
  },
];
