import type { ClientSession } from 'mongodb';
import { queryTimeout } from '../../../../platform/read-store/query-timeout.ts';
import { all, type Form, faultOf, type Ground, type Stored } from './form.ts';

const FIRST = '0'.repeat(64);
const checkpoint = (_id: number, next: number): Stored => ({ _id, next, chain: FIRST });

const pointers: readonly Stored[] = [
  { _id: 'renders', current: 1 },
  { _id: 'renders@2', read_model: 'renders', model_version: 2, generation: 1, serving: true },
  { _id: 'renders@3', read_model: 'renders', model_version: 3, generation: 4, serving: true },
  { _id: 'renders@4', read_model: 'renders', model_version: 4, generation: 5, serving: false },
  { _id: 'catalogue@2', read_model: 'catalogue', model_version: 2, generation: 1, serving: true },
  { _id: 'renders#', given: 5 },
];

const rebuild: Stored = {
  ...{ _id: 'renders@3/rebuild', read_model: 'renders', model_version: 3, generation: 6, serving: false },
  ...{ replaces: 4, ends: [7], requested_at: new Date(0), requested_by: 'operator:renderctl' },
};

/** A cutover: both sides are read, the pointer moves, and the former checkpoints are closed. */
const handOver = ({ store, things, others }: Ground, meanwhile: () => Promise<unknown> = async () => undefined) =>
  store.transaction(async (session: ClientSession) => {
    const former = await others.find({}, { session }).toArray();
    await meanwhile();
    const moved = await things.updateOne(
      { _id: 'renders@4', serving: false },
      { $set: { serving: true } },
      { session },
    );
    if (moved.matchedCount === 0) return 'served before';
    const { matchedCount } = await others.bulkWrite(
      former.map(({ _id, next, chain }) => ({
        updateOne: {
          filter: { _id, next, chain },
          update: { $set: { next, chain: 'closed', closed: { next, chain } } },
        },
      })),
      { session, ordered: true },
    );
    if (matchedCount !== former.length) throw new RangeError('a checkpoint moved');
    return 'serves';
  });

const serving = async ({ things }: Ground) => (await things.findOne({ _id: 'renders@4' }))?.serving;

export const GENERATIONS: readonly Form[] = [
  {
    name: 'the newest serving generation that the reader knows',
    used_by: ['read-models/generations.ts'],
    documents: pointers,
    operation: async ({ things }) => {
      const newest = async (most: number) =>
        (
          await things
            .find({ read_model: 'renders', serving: true, model_version: { $lte: most } }, queryTimeout())
            .sort({ model_version: -1 })
            .limit(1)
            .toArray()
        ).map(({ generation }) => generation);
      return [await newest(4), await newest(2), await newest(1)];
    },
    expected: [[4], [1], []],
  },
  {
    name: 'ten concurrent requests get ten new numbers',
    used_by: ['read-models/generations.ts'],
    operation: async ({ things }) => {
      const next = async () => {
        // A process that creates the document concurrently with another can get a duplicate key error, and then
        // retries.
        const raise = () => things.updateOne({ _id: 'renders#' }, { $max: { given: 3 } }, { upsert: true });
        await raise().catch(raise);
        const counted = await things.findOneAndUpdate(
          { _id: 'renders#' },
          { $inc: { given: 1 } },
          { returnDocument: 'after' },
        );
        return counted?.given;
      };
      return (await Promise.all(Array.from({ length: 10 }, next))).toSorted((a, b) => a - b);
    },
    expected: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  },
  {
    name: 'a generation becomes the serving one',
    used_by: ['projectors/generations/claim.ts'],
    documents: pointers,
    operation: async (ground) => {
      await ground.things.updateOne({ _id: 'renders@4' }, { $set: { serving: true } });
      return await serving(ground);
    },
    expected: true,
  },
  {
    name: 'all checkpoints of a generation',
    used_by: [
      'projectors/generations/cutover.ts',
      'projectors/checkpoint/watch-checkpoints.ts',
      'read-models/unused-generations.ts',
    ],
    documents: [checkpoint(0, 7), checkpoint(1, 0)],
    operation: async ({ things }) => (await things.find({}).toArray()).map(({ next }) => next).toSorted(),
    expected: [0, 7],
  },
  {
    name: 'all checkpoints with their positions and targets',
    used_by: ['read-models/catch-up.ts'],
    documents: [{ ...checkpoint(0, 7), target: 9 }, checkpoint(1, 0)],
    operation: async ({ things }) => {
      const projection = { next: 1, target: 1, closed: 1 };
      const found = await things.find({}, { projection, ...queryTimeout() }).toArray();
      return found.toSorted((a, b) => Number(a._id) - Number(b._id));
    },
    expected: [
      { _id: 0, next: 7, target: 9 },
      { _id: 1, next: 0 },
    ],
  },
  {
    name: 'a target never moves back',
    used_by: ['projectors/checkpoint/checkpoint-store.ts'],
    documents: [{ ...checkpoint(0, 7), target: 9 }, checkpoint(1, 0)],
    operation: async ({ things }) => {
      for (const _id of [0, 1]) await things.updateOne({ _id }, { $max: { target: 8 } });
      return (await things.find({}).toArray()).map(({ target }) => target).toSorted();
    },
    expected: [8, 9],
  },
  {
    name: 'a cutover moves the pointer and closes the former checkpoints in one transaction',
    used_by: ['projectors/generations/cutover.ts', 'read-models/checkpoint.ts'],
    documents: pointers,
    operation: async (ground) => {
      await ground.others.insertMany([checkpoint(0, 7), checkpoint(1, 2)]);
      const first = await handOver(ground);
      const again = await handOver(ground);
      return [first, again, await serving(ground), (await all(ground.others)).map(({ chain }) => chain)];
    },
    expected: ['serves', 'served before', true, ['closed', 'closed']],
  },
  {
    name: 'a cutover fails completely if a checkpoint has moved',
    used_by: ['projectors/generations/cutover.ts'],
    documents: pointers,
    operation: async (ground) => {
      await ground.others.insertMany([checkpoint(0, 7), checkpoint(1, 2)]);
      // A follower commits between the read and the close at each try.
      const move = () => ground.others.updateOne({ _id: 1 }, { $inc: { next: 1 } });
      const fault = await faultOf(() => handOver(ground, move));
      return [fault !== null, await serving(ground), (await all(ground.others)).map(({ chain }) => chain)];
    },
    expected: [true, false, [FIRST, FIRST]],
  },
  {
    name: 'the owner of a closed checkpoint cannot commit',
    used_by: ['projectors/checkpoint/checkpoint-store.ts'],
    documents: pointers,
    operation: async (ground) => {
      const { store, others } = ground;
      await others.insertMany([checkpoint(0, 7), checkpoint(1, 2)]);
      await handOver(ground);
      return await store.transaction(async (session) => {
        const { matchedCount } = await others.bulkWrite(
          [{ updateOne: { filter: { _id: 0, next: 7, chain: FIRST }, update: { $set: { next: 9 } } } }],
          { session, ordered: true },
        );
        return matchedCount;
      });
    },
    expected: 0,
  },
  {
    name: 'the pointers of a version and of its rebuild',
    used_by: ['projectors/generations/watch-claim.ts'],
    documents: [...pointers, rebuild],
    operation: async ({ things }) => {
      const wanted = ['renders@3', 'renders@3/rebuild'];
      const found = await things.find({ _id: { $in: wanted } }, queryTimeout()).toArray();
      return found.map(({ generation }) => generation).toSorted();
    },
    expected: [4, 6],
  },
  {
    name: 'a version newer than the one being rebuilt',
    used_by: ['projectors/generations/rebuild.ts', 'read-models/rebuilds.ts'],
    documents: [...pointers, rebuild],
    operation: async ({ store, things }) => {
      const newer = (of: number) => ({ read_model: 'renders', model_version: { $gt: of } });
      const [alone] = await things.find(newer(3), queryTimeout()).limit(1).toArray();
      const inside = await store.transaction(
        async (session) => await things.find(newer(4), { session }).limit(1).toArray(),
      );
      return [alone?._id, inside];
    },
    expected: ['renders@4', []],
  },
  {
    name: 'a rebuild replaces the generation once, unless another one serves by then',
    used_by: ['projectors/generations/rebuild.ts'],
    documents: [...pointers, rebuild],
    operation: async ({ store, things }) => {
      const take = (replaces: number) =>
        store.transaction(async (session) => {
          const { deletedCount } = await things.deleteOne({ _id: 'renders@3/rebuild', generation: 6 }, { session });
          const { matchedCount } = await things.updateOne(
            { _id: 'renders@3', generation: replaces, serving: true },
            { $set: { generation: 6, ends: [7], replaced: { generation: replaces, at: new Date(0) } } },
            { session },
          );
          return [deletedCount, matchedCount];
        });
      return [await take(4), await take(4), (await things.findOne({ _id: 'renders@3' }))?.generation];
    },
    expected: [[1, 1], [0, 0], 6],
  },
  {
    name: 'a rebuild has one requester and is cancelled once',
    used_by: ['read-models/rebuilds.ts', 'projectors/generations/claim.ts'],
    documents: pointers,
    operation: async ({ things }) => {
      await things.insertOne(rebuild);
      const again = await faultOf(() => things.insertOne({ ...rebuild, generation: 7 }));
      const give = async (generation: number) =>
        (await things.deleteOne({ _id: 'renders@3/rebuild', generation })).deletedCount;
      const given_up = [await give(7), await give(6), await give(6)];
      return [again, given_up, (await things.deleteOne({ _id: 'renders@2/rebuild' })).deletedCount];
    },
    expected: [11_000, [0, 1, 0], 0],
  },
  {
    name: 'the positions of all checkpoints',
    used_by: ['read-models/rebuilds.ts'],
    documents: [checkpoint(0, 7), checkpoint(1, 2)],
    operation: async ({ things }) => {
      const found = await things.find({}, { projection: { next: 1 }, ...queryTimeout() }).toArray();
      return found.map(({ next }) => next).toSorted();
    },
    expected: [2, 7],
  },
  {
    name: 'all pointers of a read model, with a deadline for those of a dropped version',
    used_by: ['read-models/unused-generations.ts'],
    documents: pointers,
    operation: async ({ things }) => {
      await things.updateOne({ _id: 'renders@2' }, { $set: { ends: [0] } });
      const found = await things.find({ read_model: 'renders' }, queryTimeout()).toArray();
      return found.map(({ _id, ends = [] }) => `${_id} ${ends.length}`).toSorted();
    },
    expected: ['renders@2 1', 'renders@3 0', 'renders@4 0'],
  },
  {
    name: 'the form of a generation, and of a missing one',
    used_by: ['read-models/embedded/generation-form.ts'],
    operation: async ({ things }) => [
      (await things.updateOne({ _id: 'renders/7' }, { $set: { form: 'plain' } }, { upsert: true })).upsertedCount,
      (await things.updateOne({ _id: 'renders/7' }, { $set: { form: 'plain' } }, { upsert: true })).upsertedCount,
      await things.findOne({ _id: 'renders/7' }, queryTimeout()),
      await things.findOne({ _id: 'renders/8' }, queryTimeout()),
    ],
    expected: [1, 0, { _id: 'renders/7', form: 'plain' }, null],
  },
  {
    name: 'a collection is emptied in batches and dropped',
    used_by: ['read-models/embedded/collections.ts'],
    documents: [checkpoint(0, 7), checkpoint(1, 2), checkpoint(2, 2)],
    operation: async ({ things }) => {
      const some = await things
        .find({}, { projection: { _id: 1 } })
        .limit(2)
        .toArray();
      const { deletedCount } = await things.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
      await things.drop();
      return [deletedCount, await things.find({}).toArray()];
    },
    expected: [2, []],
  },
];
