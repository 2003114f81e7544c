import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { FACTS_WITHOUT_TEXTS } from '../../../../read-models/renders/documents.ts';
import { all, type Form, idsOf, type Stored } from './form.ts';

const numbered = (count: number): readonly Stored[] =>
  Array.from({ length: count }, (_, i) => ({ _id: `rend_${String(i).padStart(4, '0')}`, partition: i % 3 }));
const hundred = idsOf(numbered(200).filter((_, i) => i % 2 === 0));

const memberships = [
  { _id: 'team_1/user_1', team_id: 'team_1', user_id: 'user_1', removed: false },
  { _id: 'team_1/user_2', team_id: 'team_1', user_id: 'user_2', removed: true },
  { _id: 'team_2/user_1', team_id: 'team_2', user_id: 'user_1', removed: false },
];
const membershipIndexes = [{ key: { team_id: 1 } }, { key: { user_id: 1 } }];

const sorted = (found: readonly Stored[]) => [...idsOf(found)].sort();

export const SEVERAL_DOCUMENTS: readonly Form[] = [
  {
    name: 'all of a hundred ids',
    used_by: [
      'read-models/renders/renders.ts',
      'read-models/renders/live-progress.ts',
      'read-models/catalogue/catalogue.ts',
      'read-models/catalogue/user-emails.ts',
      'read-models/catalogue/project-files.ts',
      'read-models/catalogue/account-retentions.ts',
    ],
    documents: numbered(200),
    operation: async ({ things }) =>
      sorted(await things.find({ _id: { $in: [...hundred] } }, queryTimeout()).toArray()),
    expected: hundred,
  },
  {
    name: 'names of several ids, null where erased',
    used_by: [
      ...['read-models/renders/names.ts', 'read-models/renders/fresh-names.ts'],
      ...['read-models/renders/folded-requests.ts', 'read-models/renders/owners.ts'],
      'read-models/renders/render-requests.ts',
    ],
    documents: [
      { _id: 'rend_1', name: 'One', name_salt: 'ab', render: { erased_at: null }, facts: [], partition: 1 },
      { _id: 'rend_2', name: null, name_salt: null, render: { erased_at: 5 }, facts: [], partition: 2 },
      { _id: 'rend_3', render: null, facts: [], partition: 0 },
    ],
    operation: async ({ things }) => {
      const ids = { _id: { $in: ['rend_1', 'rend_2', 'rend_3', 'none'] } };
      const inOrder = (found: readonly Stored[]) => found.toSorted((a, b) => (String(a._id) < String(b._id) ? -1 : 1));
      const shown = async (projection: Record<string, 1>) =>
        inOrder(await things.find(ids, { projection, ...queryTimeout() }).toArray());
      return [
        await shown({ name: 1, name_salt: 1 }),
        await shown({ name: 1, render: 1 }),
        (await shown({ partition: 1, facts: 1, render: 1, name: 1 }))[0],
        await shown({ 'render.erased_at': 1, 'render.other': 1 }),
      ];
    },
    expected: [
      [
        { _id: 'rend_1', name: 'One', name_salt: 'ab' },
        { _id: 'rend_2', name: null, name_salt: null },
        { _id: 'rend_3' },
      ],
      [
        { _id: 'rend_1', name: 'One', render: { erased_at: null } },
        { _id: 'rend_2', name: null, render: { erased_at: 5 } },
        { _id: 'rend_3', render: null },
      ],
      { _id: 'rend_1', name: 'One', render: { erased_at: null }, facts: [], partition: 1 },
      [{ _id: 'rend_1', render: { erased_at: null } }, { _id: 'rend_2', render: { erased_at: 5 } }, { _id: 'rend_3' }],
    ],
  },
  {
    name: 'several ids: the existing ones, each once',
    used_by: [],
    documents: numbered(5),
    operation: async ({ things }) =>
      sorted(
        await things.find({ _id: { $in: ['rend_0003', 'none', 'rend_0001', 'rend_0003'] } }, queryTimeout()).toArray(),
      ),
    expected: ['rend_0001', 'rend_0003'],
  },
  {
    name: 'one field of several documents, null where absent',
    used_by: ['read-models/renders/render-blobs.ts'],
    documents: [
      { _id: 'rend_1', render: { outputs: [{ path: 'a' }] }, facts: [1] },
      { _id: 'rend_2', render: null, facts: [2] },
      { _id: 'rend_3', render: { outputs: [] }, facts: [3] },
    ],
    operation: async ({ things }) => {
      const found = things.find(
        { _id: { $in: ['rend_1', 'rend_2', 'none'] } },
        { projection: { render: 1 }, ...queryTimeout() },
      );
      return (await found.toArray()).toSorted((one, other) => String(one._id).localeCompare(String(other._id)));
    },
    expected: [
      { _id: 'rend_1', render: { outputs: [{ path: 'a' }] } },
      { _id: 'rend_2', render: null },
    ],
  },
  {
    name: 'several ids: an empty list',
    used_by: [],
    documents: numbered(5),
    operation: ({ things }) => things.find({ _id: { $in: [] } }, queryTimeout()).toArray(),
    expected: [],
  },
  {
    name: 'several ids: some members of each, where present',
    used_by: ['projectors/catalogue/stored-texts.ts'],
    documents: [
      { _id: 'proj_1', name: 'New', created_with: { name: 'Old', salt: 'ab' } },
      { _id: 'proj_2', name: 'Of old' },
    ],
    operation: async ({ things }) => {
      const shown = async (projection: Record<string, 1>) =>
        (
          await things.find({ _id: { $in: ['proj_1', 'proj_2', 'none'] } }, { projection, ...queryTimeout() }).toArray()
        ).toSorted((a, b) => (a._id < b._id ? -1 : 1));
      return [await shown({ created_with: 1 }), await shown({ document: 1, payload: 1 })];
    },
    expected: [
      [{ _id: 'proj_1', created_with: { name: 'Old', salt: 'ab' } }, { _id: 'proj_2' }],
      [{ _id: 'proj_1' }, { _id: 'proj_2' }],
    ],
  },
  {
    name: 'several ids, without a time limit',
    used_by: ['projectors/render/projection.ts', 'projectors/verification/verify-deliveries.ts'],
    documents: numbered(200),
    operation: async ({ things }) => sorted(await things.find({ _id: { $in: [...hundred] } }).toArray()),
    expected: hundred,
  },
  {
    name: 'a hundred ids inside a transaction',
    used_by: ['projectors/render/projection.ts', 'projectors/catalogue/projection.ts'],
    documents: numbered(200),
    operation: async ({ things, store }) =>
      sorted(await store.transaction((session) => things.find({ _id: { $in: [...hundred] } }, { session }).toArray())),
    expected: hundred,
  },
  {
    name: 'all but one field of several documents, inside a transaction',
    used_by: ['projectors/render/projection.ts', 'read-models/catalogue/version-rows.ts'],
    documents: [
      { _id: 'rend_1', status: 'ready', search: ['a', 'b'] },
      { _id: 'rend_2', status: 'ready', search: [] },
    ],
    operation: ({ things, store }) =>
      store.transaction((session) =>
        things.find({ _id: { $in: ['rend_1', 'rend_3'] } }, { session, projection: { search: 0 } }).toArray(),
      ),
    expected: [{ _id: 'rend_1', status: 'ready' }],
  },
  {
    name: 'all but one field of several documents',
    used_by: ['projectors/render/projection.ts', 'read-models/renders/renders.ts'],
    documents: [{ _id: 'rend_1', status: 'ready', search: ['a', 'b'] }],
    operation: ({ things }) => things.find({ _id: { $in: ['rend_1'] } }, { projection: { search: 0 } }).toArray(),
    expected: [{ _id: 'rend_1', status: 'ready' }],
  },
  {
    name: 'all but one field of a document',
    used_by: ['read-models/renders/renders.ts'],
    documents: [{ _id: 'rend_1', status: 'ready', search: ['a', 'b'] }],
    operation: ({ things }) => things.findOne({ _id: 'rend_1' }, { ...queryTimeout(), projection: { search: 0 } }),
    expected: { _id: 'rend_1', status: 'ready' },
  },
  {
    name: 'keys by the hashes of several secrets',
    used_by: ['read-models/catalogue/catalogue.ts'],
    documents: [
      { _id: 'key_1', secret_sha256: 'aa' },
      { _id: 'key_2', secret_sha256: 'ab' },
      { _id: 'key_3', secret_sha256: 'ac' },
    ],
    indexes: [{ key: { secret_sha256: 1 } }],
    operation: async ({ things }) =>
      sorted(await things.find({ secret_sha256: { $in: ['ac', 'a', 'aa'] } }, queryTimeout()).toArray()),
    expected: ['key_1', 'key_3'],
  },
  {
    name: 'all documents',
    used_by: ['read-models/renders/renders.ts', 'read-models/renders/render-blobs.ts', 'read-models/catch-up.ts'],
    documents: [
      { _id: 0, at: 3 },
      { _id: 1, at: 1 },
    ],
    operation: async ({ things }) => (await things.find({}, queryTimeout()).toArray()).map(({ at }) => at).sort(),
    expected: [1, 3],
  },
  {
    name: 'all documents, in batches',
    used_by: ['read-models/catalogue/management.ts'],
    documents: numbered(350),
    operation: async ({ things }) => sorted(await things.find().toArray()),
    expected: idsOf(numbered(350)),
  },
  {
    name: 'all list positions, read one by one during writes',
    used_by: ['projectors/verification/verify-renders.ts'],
    documents: numbered(900),
    operation: async ({ things }) => {
      const seen = new Set<unknown>();
      for await (const { _id, partition } of things.find({}, { projection: { partition: 1, offset: 1 } })) {
        if (partition === 1) seen.add(_id);
        if (seen.size === 50) await things.updateOne({ _id: 'rend_0002' }, { $set: { next: 1 } }, { upsert: true });
      }
      return seen.size;
    },
    expected: 300,
  },
  {
    name: 'partitions of all renders, and of several',
    used_by: ['projectors/verification/verify-deliveries.ts'],
    documents: [
      { _id: 'hook_1', render_id: 'rend_1', partition: 0 },
      { _id: 'hook_2', render_id: 'rend_2', partition: 1 },
      { _id: 'hook_3', render_id: 'rend_11', partition: 1 },
    ],
    indexes: [{ key: { render_id: 1 } }],
    operation: async ({ things }) => {
      const partition = { projection: { partition: 1 } };
      const some = await things.find({ render_id: { $in: ['rend_1', 'rend_2', 'rend_3'] } }, partition).toArray();
      return [idsOf(await things.find({}, partition).toArray()), some.map((one) => one.partition).toSorted()];
    },
    expected: [
      ['hook_1', 'hook_2', 'hook_3'],
      [0, 1],
    ],
  },
  {
    name: 'all documents of one account, without a time limit',
    used_by: ['projectors/verification/verify-read-models.ts'],
    documents: [
      { _id: 'team_1', account_id: 'acc_1' },
      { _id: 'team_2', account_id: 'acc_2' },
    ],
    operation: ({ things }) => things.find({ account_id: 'acc_1' }).toArray(),
    expected: [{ _id: 'team_1', account_id: 'acc_1' }],
  },
  {
    name: 'all offsets',
    used_by: ['projectors/verification/verify-catalogue.ts'],
    documents: [
      { _id: 'acc_1', offset: 3, name: 'Acme' },
      { _id: 'acc_2', name: 'Acme' },
    ],
    operation: async ({ things }) => {
      const seen: unknown[] = [];
      for await (const one of things.find({}, { projection: { offset: 1 } })) seen.push(one);
      return seen;
    },
    expected: [{ _id: 'acc_1', offset: 3 }, { _id: 'acc_2' }],
  },
  {
    name: 'members of a team',
    used_by: ['read-models/catalogue/catalogue.ts'],
    documents: memberships,
    indexes: membershipIndexes,
    operation: async ({ things }) => sorted(await things.find({ team_id: 'team_1' }, queryTimeout()).toArray()),
    expected: ['team_1/user_1', 'team_1/user_2'],
  },
  {
    name: 'current teams of a user',
    used_by: ['read-models/catalogue/management.ts'],
    documents: memberships,
    indexes: membershipIndexes,
    operation: async ({ things }) => sorted(await things.find({ user_id: 'user_2', removed: false }).toArray()),
    expected: [],
  },
  {
    name: 'current teams of many users',
    used_by: ['read-models/catalogue/management.ts'],
    documents: memberships,
    indexes: membershipIndexes,
    operation: async ({ things }) =>
      sorted(await things.find({ user_id: { $in: ['user_2', 'user_1', 'user_9'] }, removed: false }).toArray()),
    expected: ['team_1/user_1', 'team_2/user_1'],
  },
  {
    name: 'current members of a team',
    used_by: ['read-models/catalogue/management.ts'],
    documents: memberships,
    indexes: membershipIndexes,
    operation: async ({ things }) => sorted(await things.find({ team_id: 'team_1', removed: false }).toArray()),
    expected: ['team_1/user_1'],
  },
  {
    name: 'owners of an account',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'acc_1/user_1', account_id: 'acc_1', user_id: 'user_1', owner: true },
      { _id: 'acc_1/user_2', account_id: 'acc_1', user_id: 'user_2', owner: false },
      { _id: 'acc_2/user_1', account_id: 'acc_2', user_id: 'user_1', owner: true },
    ],
    indexes: [{ key: { account_id: 1 } }, { key: { user_id: 1 } }],
    operation: async ({ things }) => sorted(await things.find({ account_id: 'acc_1', owner: true }).toArray()),
    expected: ['acc_1/user_1'],
  },
  {
    name: 'open invitations of an account',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'inv_1', account_id: 'acc_1', revoked_at: null, accepted_at: null },
      { _id: 'inv_2', account_id: 'acc_1', revoked_at: 1, accepted_at: null },
      { _id: 'inv_3', account_id: 'acc_1', revoked_at: null, accepted_at: 1 },
      { _id: 'inv_4', account_id: 'acc_2', revoked_at: null, accepted_at: null },
    ],
    indexes: [{ key: { account_id: 1 } }],
    operation: async ({ things }) =>
      sorted(await things.find({ account_id: 'acc_1', revoked_at: null, accepted_at: null }).toArray()),
    expected: ['inv_1'],
  },
  {
    name: 'projects and webhook endpoints of a team',
    used_by: ['read-models/catalogue/management.ts'],
    documents: memberships,
    operation: async ({ things }) => sorted(await things.find({ team_id: 'team_2' }).toArray()),
    expected: ['team_2/user_1'],
  },
  {
    name: 'teams, keys and ledger of an account',
    used_by: ['read-models/catalogue/management.ts'],
    documents: [
      { _id: 'acc_1/0', account_id: 'acc_1', charged_credits: 7 },
      { _id: 'acc_1/1', account_id: 'acc_1', charged_credits: 5 },
      { _id: 'acc_10/0', account_id: 'acc_10', charged_credits: 100 },
    ],
    indexes: [{ key: { account_id: 1 } }],
    operation: async ({ things }) => sorted(await things.find({ account_id: 'acc_1' }).toArray()),
    expected: ['acc_1/0', 'acc_1/1'],
  },
  {
    name: 'thumbnails of several projects',
    used_by: ['read-models/catalogue/catalogue.ts'],
    documents: [
      { _id: 'proj_1', version: 2 },
      { _id: 'proj_2', version: 1 },
      { _id: 'proj_3', version: 7 },
    ],
    operation: async ({ things }) =>
      sorted(await things.find({ _id: { $in: ['proj_3', 'proj_1', 'proj_9'] } }, queryTimeout()).toArray()),
    expected: ['proj_1', 'proj_3'],
  },
  {
    name: 'renders that are not final, by a partial index',
    used_by: ['read-models/renders/unfinished-renders.ts'],
    documents: [
      { _id: 'rend_1', open: true },
      { _id: 'rend_2', open: false },
      { _id: 'rend_3', open: true },
    ],
    indexes: [{ key: { open: 1 }, partialFilterExpression: { open: true } }],
    operation: async ({ things }) => {
      const shown = { projection: { offset: 1, render: 1, facts: 1 } };
      const before = sorted(await things.find({ open: true }, shown).toArray());
      await things.bulkWrite([
        { replaceOne: { filter: { _id: 'rend_1' }, replacement: { open: false }, upsert: true } },
        { replaceOne: { filter: { _id: 'rend_2' }, replacement: { open: true }, upsert: true } },
      ]);
      return [before, sorted(await things.find({ open: true }, shown).toArray()), (await all(things)).length];
    },
    expected: [['rend_1', 'rend_3'], ['rend_2', 'rend_3'], 3],
  },
  {
    name: 'facts of several renders, without texts',
    used_by: [
      'read-models/renders/folded-requests.ts',
      'read-models/renders/unfinished-renders.ts',
      'read-models/renders/waiting-renders.ts',
    ],
    documents: [
      {
        _id: 'rend_1',
        partition: 3,
        search: ['ada'],
        facts: [
          {
            ...{ verdict: 'accepted', offset: 5, appended_at: 1, transition: { seq: 1 } },
            fact: { type: 'RenderRequested', meta: { event_id: 'e1' }, sealed: { tree: 't', leaf: 0, box: 'secret' } },
          },
          { verdict: 'ignored', offset: 6, appended_at: 2, type: 'RenderRequested', reason: 'already_requested' },
          {
            ...{ verdict: 'accepted', offset: 7, appended_at: 3 },
            fact: { type: 'AttemptLost', meta: { event_id: 'e2' }, attempt_id: 'att_1', detail: 'gone' },
          },
        ],
      },
    ],
    operation: async ({ things }) => {
      const ids = { _id: { $in: ['rend_1', 'rend_2'] } };
      const light = await things.find(ids, { projection: { partition: 1, ...FACTS_WITHOUT_TEXTS } }).toArray();
      const place = { partition: 1, 'facts.verdict': 1, 'facts.offset': 1 };
      const [first] = await things.find(ids, { projection: place }).toArray();
      return [light, first];
    },
    expected: [
      [
        {
          _id: 'rend_1',
          partition: 3,
          facts: [
            {
              ...{ verdict: 'accepted', offset: 5, appended_at: 1 },
              fact: { type: 'RenderRequested', meta: { event_id: 'e1' } },
            },
            { verdict: 'ignored', offset: 6, appended_at: 2 },
            {
              ...{ verdict: 'accepted', offset: 7, appended_at: 3 },
              fact: { type: 'AttemptLost', meta: { event_id: 'e2' }, attempt_id: 'att_1' },
            },
          ],
        },
      ],
      {
        _id: 'rend_1',
        partition: 3,
        facts: [
          { verdict: 'accepted', offset: 5 },
          { verdict: 'ignored', offset: 6 },
          { verdict: 'accepted', offset: 7 },
        ],
      },
    ],
  },
  {
    name: 'the quarantine of a partition, before an offset',
    used_by: ['projectors/verification/verify-partition.ts'],
    documents: [
      { _id: 'render-events/0/7', topic: 'render-events', partition: 0, offset: 7 },
      { _id: 'render-events/0/12', topic: 'render-events', partition: 0, offset: 12 },
      { _id: 'render-events/1/3', topic: 'render-events', partition: 1, offset: 3 },
      { _id: 'catalogue-events/0/2', topic: 'catalogue-events', partition: 0, offset: 2 },
    ],
    operation: async ({ things }) =>
      sorted(await things.find({ topic: 'render-events', partition: 0, offset: { $lt: 12 } }).toArray()),
    expected: ['render-events/0/7'],
  },
  {
    name: 'the quarantine, newest first, without its bytes',
    used_by: ['read-models/quarantine.ts'],
    documents: [
      { _id: 'a', topic: 'render-events', value_base64: 'AA==', found_at: new Date(1) },
      { _id: 'b', topic: 'render-events', value_base64: 'AA==', found_at: new Date(3) },
      { _id: 'c', topic: 'catalogue-events', value_base64: 'AA==', found_at: new Date(2) },
    ],
    operation: async ({ things }) => {
      const shown = { projection: { value_base64: 0 } };
      const latest = await things.find({}, shown).sort({ found_at: -1 }).limit(2).toArray();
      const of_topic = await things.find({ topic: 'render-events' }, shown).sort({ found_at: -1 }).limit(2).toArray();
      return [latest.map(({ _id }) => _id), of_topic.map(({ _id }) => _id), Object.keys(latest[0] ?? {}).sort()];
    },
    expected: [
      ['b', 'c'],
      ['b', 'a'],
      ['_id', 'found_at', 'topic'],
    ],
  },
  {
    name: 'partitions that were recently reported as stopped',
    used_by: ['platform/read-store/stopped-partitions.ts'],
    documents: [
      { _id: 'a', seen_at: new Date(1_000) },
      { _id: 'b', seen_at: new Date(2_000) },
    ],
    indexes: [{ key: { seen_at: 1 }, expireAfterSeconds: 1_000_000_000 }],
    operation: async ({ things }) => sorted(await things.find({ seen_at: { $gte: new Date(1_500) } }).toArray()),
    expected: ['b'],
  },
];
