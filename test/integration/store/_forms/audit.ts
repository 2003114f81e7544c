import type { Document } from 'mongodb';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { all, type Form, faultOf, type Ground, idsOf, type Stored } from './form.ts';

const TAKEN = 11_000;

const position = (n: number): string => `${1_795_000_000_000 + n}catalogue-events/0/${n}`;

/** Ids of other teams can start with ours or look like a token. */
const token = (team: string, level = 0): string => JSON.stringify(['audit', level, 'team', team, 'any', null]);

const entry = (n: number, field: string): Stored => ({
  ...{ _id: `catalogue-events/0/${n}`, kind: n % 2 === 0 ? 'TeamRenamed' : 'MemberAdded', position: position(n) },
  [field]: ['team_1', 'team_10', '"team_1"'].slice(0, 1 + (n % 3)).flatMap((team) => [token(team), token(team, 1)]),
});

const NUMBERS = [0, 1, 2, 3, 4, 5, 6];

const page = (field: string, list: string, range: Document, keep: Document, shown: Document): Document[] => [
  { $match: { [field]: list, position: range } },
  { $match: keep },
  { $sort: { position: -1 } },
  { $limit: 51 },
  { $project: shown },
];

const whole = { $gte: '0', $lt: '9' };
const part = { $gte: position(2), $lt: position(5) };

const read = async ({ things }: Ground, pipeline: Document[]) =>
  idsOf(await things.aggregate<Stored>(pipeline, queryTimeout()).toArray()).map((id) => Number(String(id).slice(19)));

const LISTS = [
  { what: 'entries', field: 'lists', shown: { lists: 0 } },
  { what: 'requests of renders', field: 'search', shown: { render: 1, facts: 1, partition: 1 } },
  { what: 'renders of a team', field: 'search', shown: { render: 1, name: 1 } },
];

export const AUDIT: readonly Form[] = [
  ...LISTS.map(
    ({ what, field, shown }): Form => ({
      name: `${what} of one list between two positions, newest first, and those of a level`,
      used_by: ['read-models/audit/audit.ts', 'read-models/lists.ts'],
      documents: NUMBERS.map((n) => entry(n, field)),
      indexes: [{ key: { [field]: 1 as const, position: 1 as const } }],
      operation: async (ground) => [
        await read(ground, page(field, token('team_1'), whole, {}, shown)),
        await read(ground, page(field, token('team_1', 1), part, {}, { position: 1 })),
        await read(ground, page(field, token('team_10'), part, {}, shown)),
        await read(ground, page(field, token('"team_1"'), whole, {}, shown)),
      ],
      expected: [NUMBERS.toReversed(), [4, 3, 2], [4, 2], [5, 2]],
    }),
  ),
  {
    name: 'entries of a kind in the list of an actor',
    used_by: ['read-models/audit/audit.ts'],
    documents: NUMBERS.map((n) => entry(n, 'lists')),
    indexes: [{ key: { lists: 1, position: 1 } }],
    operation: async (ground) => [
      await read(ground, page('lists', token('team_1'), part, { kind: 'TeamRenamed' }, { lists: 0 })),
      await read(ground, page('lists', token('team_1', 1), whole, { kind: 'MemberAdded' }, { position: 1 })),
    ],
    expected: [
      [4, 2],
      [5, 3, 1],
    ],
  },
  {
    name: 'a second entry of a record is refused with its transaction',
    used_by: ['projectors/checkpoint/audit-write.ts'],
    documents: [entry(1, 'lists')],
    operation: async (ground) => {
      const inserts = [0, 1].map((n) => ({ insertOne: { document: entry(n, 'lists') } }));
      const fault = await faultOf(() =>
        ground.store.transaction(async (session) => {
          await ground.things.bulkWrite(inserts, { session, ordered: true });
        }),
      );
      return [fault, idsOf(await all(ground.things))];
    },
    expected: [TAKEN, ['catalogue-events/0/1']],
  },
];
