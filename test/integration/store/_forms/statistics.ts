import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { all, type Form, faultOf, idsOf, type Stored } from './form.ts';

/** Sums at paths within one document, which an addition creates. */

const TAKEN = 11_000;
const OWN = '["acc_1",null]';

const add = (first: number, offset: number, added: Readonly<Record<string, number>>) => ({
  updateOne: {
    filter: { _id: `${OWN}:020783/0`, offset: { $lt: first } },
    update: {
      $inc: added,
      $set: { account_id: 'acc_1', team_id: null, by_day: `${OWN}:020783`, partition: 0, offset },
    },
    upsert: true,
  },
});

const counted = (offset: number, hours: Readonly<Record<string, unknown>>): Stored => ({
  ...{ _id: `${OWN}:020783/0`, account_id: 'acc_1', team_id: null, by_day: `${OWN}:020783`, partition: 0, offset },
  hours,
});

const used_by = ['projectors/render/statistics.ts'];

const day = (account_id: string, team_id: string | null, name: string): Stored => {
  const by_day = `${JSON.stringify([account_id, team_id])}:${name}`;
  return { _id: `${by_day}/0`, account_id, team_id, by_day, partition: 0 };
};

const days: readonly Stored[] = ['020782', '020783', '020784', '020785', 'now'].flatMap((name) => [
  day('acc_1', null, name),
  day('acc_1', 'team_1', name),
  day('acc_10', null, name),
  day('acc_1",null]:', null, name),
]);

export const STATISTICS: readonly Form[] = [
  {
    name: 'the first sums of a day create its document, including intermediate members',
    used_by,
    operation: async ({ things }) => {
      await things.bulkWrite([add(3, 7, { 'hours.05.requested': 2, 'hours.05.waits.26': 1 })], { ordered: true });
      return await all(things);
    },
    expected: [counted(7, { '05': { requested: 2, waits: { '26': 1 } } })],
  },
  {
    name: 'later sums are added, even negative ones and new members',
    used_by,
    documents: [counted(7, { '05': { requested: 2, waits: { '26': 1 } } })],
    operation: async ({ things }) => {
      const more = {
        'hours.05.requested': -1,
        'hours.05.waits.26': 4,
        'hours.05.waits.3': 1,
        'hours.06.failures.a_b': 1,
      };
      await things.bulkWrite([add(8, 9, more)], { ordered: true });
      return await all(things);
    },
    expected: [counted(9, { '05': { requested: 1, waits: { '26': 5, '3': 1 } }, '06': { failures: { a_b: 1 } } })],
  },
  {
    name: 'sums that include an event already are refused with their transaction',
    used_by,
    documents: [counted(7, { '05': { requested: 2 } })],
    operation: async ({ store, things, others }) => {
      const fault = await faultOf(() =>
        store.transaction(async (session) => {
          await others.bulkWrite([add(1, 1, { 'hours.05.requested': 1 })], { session, ordered: true });
          await things.bulkWrite([add(7, 9, { 'hours.05.requested': 1 })], { session, ordered: true });
        }),
      );
      return [fault, await all(things), await all(others)];
    },
    expected: [TAKEN, [counted(7, { '05': { requested: 2 } })], []],
  },
  {
    name: 'the days and the current state of one account or one team',
    used_by: ['read-models/statistics/statistics.ts'],
    documents: days,
    indexes: [{ key: { by_day: 1 } }],
    operation: async ({ things }) => {
      const read = async (team_id: string | null) => {
        const scope = JSON.stringify(['acc_1', team_id]);
        const by_day = { $gte: `${scope}:020783`, $lt: `${scope}:020785` };
        return idsOf(await things.find({ account_id: 'acc_1', team_id, by_day }, queryTimeout()).toArray()).toSorted();
      };
      const now = await things.find({ by_day: `${OWN}:now` }, queryTimeout()).toArray();
      return [await read(null), await read('team_1'), idsOf(now)];
    },
    expected: [
      [`${OWN}:020783/0`, `${OWN}:020784/0`],
      ['["acc_1","team_1"]:020783/0', '["acc_1","team_1"]:020784/0'],
      [`${OWN}:now/0`],
    ],
  },
];
