import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import { createIndexes } from '../../../platform/read-store/create-indexes.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { catalogueProjection } from '../../../projectors/catalogue/projection.ts';
import type { ChainPosition } from '../../../projectors/checkpoint/chain.ts';
import { createCheckpoint } from '../../../projectors/checkpoint/checkpoint-store.ts';
import { createCommitQueue } from '../../../projectors/checkpoint/commit-queue.ts';
import type { Projection } from '../../../projectors/checkpoint/projection.ts';
import { renderProjection } from '../../../projectors/render/projection.ts';
import { catalogueIndexes } from '../../../read-models/catalogue/model.ts';
import { MODEL_VERSIONS } from '../../../read-models/generations.ts';
import { quarantineIn } from '../../../read-models/quarantine.ts';
import { renderIndexes, renderModel } from '../../../read-models/renders/model.ts';

/** The generation that readers take where no pointer says another. */
const GENERATION = 1;

const NEVER = new AbortController().signal;

/** Folds runs of records into a store as a projector does, transaction by transaction, without a log. */
const committing = <Event, After>(projection: Projection<Event, After>, store: ReadStore) => {
  const queue = () =>
    createCommitQueue(projection, store, quarantineIn(store.db), SYSTEM_CLOCK, (error) => {
      throw error;
    });
  /** @param from where a process believes the partition to be: by default, where it is */
  return async (partition: number, entries: readonly BatchEntry<Event>[], from?: ChainPosition): Promise<void> => {
    const at = from ?? (await createCheckpoint(projection.checkpoints, partition, 0));
    await projection.begin(partition, at.next);
    const commit = { partition, from: at, entries, outcome: null };
    await queue().put(commit, { documents: entries.length, bytes: 0 }, NEVER);
  };
};

export type Folding = {
  readonly catalogue: (
    partition: number,
    entries: readonly BatchEntry<CatalogueEvent>[],
    from?: ChainPosition,
  ) => Promise<void>;
  readonly renders: (
    partition: number,
    entries: readonly BatchEntry<RenderEvent>[],
    from?: ChainPosition,
  ) => Promise<void>;
};

/** In a store with all indexes. */
export const folding = async (store: ReadStore): Promise<Folding> => {
  const { db } = store;
  await createIndexes(db, new Map([...catalogueIndexes(GENERATION), ...renderIndexes(GENERATION)]));
  const model = renderModel(db, GENERATION);
  const served = { generation: GENERATION, model_version: MODEL_VERSIONS.catalogue };
  const renders = renderProjection({
    ...{ topic: 'render-events', partitionOf: () => 0, model, accounts: true, audits: true, publishing: null },
  });
  return {
    catalogue: committing(
      catalogueProjection('catalogue-events', db, served, async (entries) => entries),
      store,
    ),
    renders: committing(renders, store),
  };
};
