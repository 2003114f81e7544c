import type { ClientSession } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { WebhookDeliveryDocument } from './documents.ts';
import { type DeliveryCollections, deliveryCollectionsIn } from './model.ts';
import { type DeliveryOutcome, isOutcomeStored, outcomeUpdate, type StoredOutcomeMembers } from './outcome.ts';
import {
  isFencingTokenCurrent,
  type PartitionFencingToken,
  type PlannedBatch,
  planningProgressOf,
  positionUpdate,
} from './plan.ts';

export type PlanWrite = PlannedBatch & {
  readonly tag: 'plan';
  readonly by: PartitionFencingToken;
};

export type OutcomeWrite = {
  readonly tag: 'record';
  readonly outcome: DeliveryOutcome;
  /** When the delivery ended, ms since the epoch. */
  readonly at: number;
};

export type DeliveryWrite = PlanWrite | OutcomeWrite;

export type DeliveryWriteResult =
  /** Ids of the stored deliveries. */
  | { readonly tag: 'planned'; readonly ids: ReadonlySet<string> }
  /** Nothing was stored: another process owns the partition, or the store lost planned deliveries. */
  | { readonly tag: 'taken' }
  | { readonly tag: 'recorded'; readonly counts: boolean };

/** Some plans are of partitions that have other owners now, or that were restored from a backup. */
class PartitionsTaken extends Error {
  override readonly name = 'PartitionsTaken';
  readonly plans: readonly PlanWrite[];
  constructor(plans: readonly PlanWrite[]) {
    super('a partition was taken by another process');
    this.plans = plans;
  }
}

const sameBytes = (a: WebhookDeliveryDocument, b: WebhookDeliveryDocument): boolean =>
  a.body_sha256 === b.body_sha256 && a.planned_at === b.planned_at && a.timestamp === b.timestamp;

export const markRepeated = async (
  deliveries: DeliveryCollections['deliveries'],
  repeated: PlannedBatch['repeated'],
  session: ClientSession,
): Promise<void> => {
  if (repeated.length === 0) return;
  await deliveries.bulkWrite(
    repeated.map(({ id, by }) => ({ updateOne: { filter: { _id: id }, update: { $set: { repeated_by: by } } } })),
    { session, ordered: true },
  );
};

const movePositions = async (
  positions: DeliveryCollections['positions'],
  plans: readonly PlanWrite[],
  session: ClientSession,
): Promise<void> => {
  if (plans.length === 0) return;
  const moves = plans.map((plan) => ({
    updateOne: positionUpdate(
      plan.partition,
      plan.by,
      plan.next,
      plan.deliveries.map(({ planned_at }) => planned_at),
    ),
  }));
  const { matchedCount } = await positions.bulkWrite(moves, { session, ordered: true });
  if (matchedCount === plans.length) return;
  const partitions = [...new Set(plans.map(({ partition }) => partition))];
  const stored = await positions.find({ _id: { $in: partitions } }, { session }).toArray();
  const now = new Map(stored.map((one) => [one._id, planningProgressOf(one)]));
  throw new PartitionsTaken(plans.filter(({ partition, by }) => !isFencingTokenCurrent(now.get(partition), by)));
};

/** Inserts the missing deliveries. Existing deliveries stay unchanged. */
const addMissing = async (
  deliveries: DeliveryCollections['deliveries'],
  planned: readonly WebhookDeliveryDocument[],
  session: ClientSession,
): Promise<ReadonlySet<string>> => {
  const { upsertedIds } = await deliveries.bulkWrite(
    planned.map(({ _id, ...document }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true },
    })),
    { session, ordered: true },
  );
  const added = new Set<string>(Object.values(upsertedIds));
  const rest = planned.filter(({ _id }) => !added.has(_id));
  if (rest.length === 0) return added;
  // An equal delivery counts as added: this plan may have been stored before, and only the answer was lost.
  const found = await deliveries.find({ _id: { $in: rest.map(({ _id }) => _id) } }, { session }).toArray();
  const stored = new Map(found.map((document) => [document._id, document]));
  for (const document of rest) {
    const before = stored.get(document._id);
    if (before !== undefined && sameBytes(before, document)) added.add(document._id);
  }
  return added;
};

const addAll = async (
  deliveries: DeliveryCollections['deliveries'],
  planned: readonly WebhookDeliveryDocument[],
  session: ClientSession,
): Promise<ReadonlySet<string>> => {
  await deliveries.insertMany(planned, { session, ordered: true });
  return new Set(planned.map(({ _id }) => _id));
};

const recordOutcomes = async (
  deliveries: DeliveryCollections['deliveries'],
  records: readonly OutcomeWrite[],
  session: ClientSession,
): Promise<ReadonlySet<DeliveryOutcome>> => {
  const outcomes = records.map(({ outcome }) => outcome);
  if (outcomes.length === 0) return new Set();
  const { matchedCount } = await deliveries.bulkWrite(
    records.map(({ outcome, at }) => ({ updateOne: outcomeUpdate(outcome, at) })),
    { session, ordered: true },
  );
  if (matchedCount === outcomes.length) return new Set(outcomes);
  const ids = [...new Set(outcomes.map(({ delivery_id }) => delivery_id))];
  const found = await deliveries.find({ _id: { $in: ids } }, { session }).toArray();
  const stored = new Map<string, StoredOutcomeMembers>(found.map((document) => [document._id, document]));
  return new Set(
    outcomes.filter((outcome) => {
      const now = stored.get(outcome.delivery_id);
      return now !== undefined && isOutcomeStored(now, outcome);
    }),
  );
};

/**
 * Writes a group in one transaction, so all of it or nothing is stored. Plans of processes that no longer own their
 * partition are left out.
 */
export const writeGroup = (store: ReadStore) => {
  const { deliveries, positions } = deliveryCollectionsIn(store.db);

  /** @param add inserts all deliveries, or only the missing ones if a first try found that some exist */
  const together = async (
    writes: readonly DeliveryWrite[],
    add: typeof addAll,
  ): Promise<readonly DeliveryWriteResult[]> => {
    const plans = writes.filter((write) => write.tag === 'plan');
    const records = writes.filter((write) => write.tag === 'record');
    const planned = plans.flatMap((plan) => plan.deliveries);
    const repeated = plans.flatMap((plan) => plan.repeated);
    const [added, recorded] = await store.transaction(async (session) => {
      await movePositions(positions, plans, session);
      const ids = planned.length === 0 ? new Set<string>() : await add(deliveries, planned, session);
      await markRepeated(deliveries, repeated, session);
      return [ids, await recordOutcomes(deliveries, records, session)] as const;
    });
    return writes.map((write) =>
      write.tag === 'record'
        ? { tag: 'recorded', counts: recorded.has(write.outcome) }
        : { tag: 'planned', ids: new Set(write.deliveries.flatMap(({ _id }) => (added.has(_id) ? [_id] : []))) },
    );
  };

  return async (writes: readonly DeliveryWrite[]): Promise<readonly DeliveryWriteResult[]> => {
    const taken = new Set<DeliveryWrite>();
    let add = addAll;
    for (;;) {
      const rest = writes.filter((write) => !taken.has(write));
      try {
        const written = rest.length === 0 ? [] : await together(rest, add);
        const results = new Map(rest.map((write, i) => [write, written[i]]));
        return writes.map((write) => results.get(write) ?? { tag: 'taken' });
      } catch (error) {
        if (error instanceof PartitionsTaken && error.plans.length > 0) for (const plan of error.plans) taken.add(plan);
        else if (isDuplicateKey(error) && add === addAll) add = addMissing;
        else throw error;
      }
    }
  };
};
