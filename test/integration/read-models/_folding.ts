import type { CatalogueEventWithTexts } from '../../../domain/catalogue/events.ts';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import { createIndexes } from '../../../platform/read-store/create-indexes.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import type { PayloadTexts } from '../../../projectors/catalogue/payload-texts.ts';
import { catalogueProjection } from '../../../projectors/catalogue/projection.ts';
import type { ChainPosition } from '../../../projectors/checkpoint/chain.ts';
import { createCheckpoint } from '../../../projectors/checkpoint/checkpoint-store.ts';
import { createCommitQueue } from '../../../projectors/checkpoint/commit-queue.ts';
import type { Projection } from '../../../projectors/checkpoint/projection.ts';
import { renderProjection } from '../../../projectors/render/projection.ts';
import { catalogueIndexes } from '../../../read-models/catalogue/model.ts';
import { type DocumentForm, SKIP_LIST_FORM } from '../../../read-models/embedded/document-form.ts';
import { MODEL_VERSIONS } from '../../../read-models/generations.ts';
import { quarantineCollection } from '../../../read-models/quarantine.ts';
import { renderCollectionsIn, renderIndexes } from '../../../read-models/renders/model.ts';
import { NO_NAMES } from '../../helpers/no-names.ts';

/** The generation that readers use without a pointer. */
const GENERATION = 1;

const NEVER = new AbortController().signal;

/** Folds runs of records into a store as a projector does, transaction by transaction, without a log. */
const committing = <Event, After>(projection: Projection<Event, After>, store: ReadStore) => {
  const queue = () =>
    createCommitQueue(projection, store, quarantineCollection(store.db), SYSTEM_CLOCK, (error) => {
      throw error;
    });
  /** @param from the position of the partition that the process assumes; the stored one by default */
  return async (partition: number, entries: readonly BatchEntry<Event>[], from?: ChainPosition): Promise<void> => {
    const at = from ?? (await createCheckpoint(projection.checkpoints, partition, 0));
    await projection.begin(partition, at.next);
    const prepared = (await projection.prepare?.(entries, NEVER)) ?? entries;
    const commit = { partition, from: at, entries: prepared, outcome: null };
    await queue().put(commit, { documents: prepared.length, bytes: 0 }, NEVER);
  };
};

export type Folding = {
  readonly catalogue: (
    partition: number,
    entries: readonly BatchEntry<CatalogueEventWithTexts>[],
    from?: ChainPosition,
  ) => Promise<void>;
  readonly renders: (
    partition: number,
    entries: readonly BatchEntry<RenderEvent>[],
    from?: ChainPosition,
  ) => Promise<void>;
};

export const catalogueFolding = async (
  store: ReadStore,
  generation: number,
  texts: PayloadTexts,
  form: DocumentForm = SKIP_LIST_FORM,
): Promise<Folding['catalogue']> => {
  await createIndexes(store.db, form.indexes(catalogueIndexes(generation)));
  const served = { generation, model_version: MODEL_VERSIONS.catalogue };
  return committing(catalogueProjection('catalogue-events', store.db, served, form, texts, SYSTEM_CLOCK), store);
};

export const folding = async (store: ReadStore, form: DocumentForm = SKIP_LIST_FORM): Promise<Folding> => {
  const { db } = store;
  await createIndexes(db, form.indexes(renderIndexes(GENERATION)));
  const model = renderCollectionsIn(db, GENERATION);
  const renders = renderProjection({
    ...{
      topic: 'render-events',
      partitionOf: () => 0,
      model,
      form,
      accounts: true,
      audits: true,
      publishing: null,
    },
    names: NO_NAMES,
    clock: SYSTEM_CLOCK,
  });
  return {
    catalogue: await catalogueFolding(store, GENERATION, async (entries) => entries, form),
    renders: committing(renders, store),
  };
};
