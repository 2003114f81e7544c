import { LRUCache } from 'lru-cache';
import type { ClientSession, Collection } from 'mongodb';
import type { RenderEvent } from '../../domain/render/events.ts';
import { StopPartition } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { CheckpointDocument, RenderDocument } from '../../schemas/read-models/render-document.ts';
import type { Judged } from '../checkpoint/judge.ts';
import type { Projection, Run } from '../checkpoint/projection.ts';
import { acceptFacts } from './accept.ts';
import { type Documents, type FoldedRenders, foldBatch } from './fold-batch.ts';
import type { Publish } from './publish.ts';
import type { PublishPosition } from './publish-position.ts';
import { statusOfFolded } from './republish.ts';
import type { StatusToPublish } from './status-record.ts';

export type RenderProjectionDeps = {
  readonly topic: Topic;
  /** Where the log puts a key. */
  readonly partitionOf: (key: Buffer) => number;
  readonly renders: Collection<RenderDocument>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly publish: Publish;
  /** Read anew at each assignment. */
  readonly published: (partition: number) => Promise<PublishPosition>;
};

/** Documents of renders that go on, kept in memory for each partition. */
const MOST_DOCUMENTS_IN_MEMORY = 500;

const renderIds = (entries: readonly Judged<RenderEvent>[]): ReadonlySet<string> =>
  new Set(entries.flatMap((entry) => (entry.tag === 'event' ? [entry.event.render_id] : [])));

type Assignment = {
  /** Publish position: whatever is above it is still to be sent. */
  readonly published: number;
  /**
   * Documents as they were committed last. They are a function of the log up to the checkpoint, and a transaction
   * goes through only if the checkpoint is still the one that they were committed with.
   */
  readonly documents: LRUCache<string, RenderDocument>;
};

/** Facts of renders -> documents of renders, and the published contract in `render-status`. */
export const renderProjection = (deps: RenderProjectionDeps): Projection<RenderEvent, FoldedRenders> => {
  const { topic, partitionOf, renders, checkpoints, publish, published } = deps;
  const assignments = new Map<number, Assignment>();

  const find = async (ids: readonly string[], session?: ClientSession): Promise<readonly RenderDocument[]> =>
    ids.length === 0
      ? []
      : await renders.find({ _id: { $in: [...ids] } }, session === undefined ? {} : { session }).toArray();

  /** Documents of the renders that the runs name, from memory where they are there. */
  const load = async (runs: readonly Run<RenderEvent>[], session: ClientSession): Promise<Documents> => {
    const loaded = new Map<string, RenderDocument>();
    const missing: string[] = [];
    for (const { partition, entries } of runs) {
      for (const id of renderIds(entries)) {
        const known = assignments.get(partition)?.documents.get(id);
        if (known === undefined) missing.push(id);
        else loaded.set(id, known);
      }
    }
    for (const document of await find(missing, session)) loaded.set(document._id, document);
    return loaded;
  };

  const remember = (partition: number, documents: Documents): void => {
    const kept = assignments.get(partition)?.documents;
    for (const [id, document] of documents) {
      if (document.open) kept?.set(id, document);
      else kept?.delete(id);
    }
  };

  const publishAbove = async (
    partition: number,
    status: readonly StatusToPublish[],
    held: AbortSignal,
  ): Promise<void> => {
    const position = assignments.get(partition)?.published ?? -1;
    await publish(
      partition,
      status.filter(({ record }) => record.source_offset > position),
      held,
    );
  };

  return {
    topic,
    checkpoints,
    accept: acceptFacts(partitionOf),
    begin: async (partition, next) => {
      const position = await published(partition);
      if (position.tag === 'lost') throw new StopPartition(position.reason);
      const { source_offset } = position;
      const documents = new LRUCache<string, RenderDocument>({ max: MOST_DOCUMENTS_IN_MEMORY });
      assignments.set(partition, { published: source_offset, documents });
      return Math.min(next, source_offset + 1);
    },
    repeat: async (partition, entries, held) => {
      const found = await find([...renderIds(entries)]);
      const documents = new Map(found.map((document) => [document._id, document]));
      await publishAbove(partition, statusOfFolded(documents, entries), held);
    },
    load: async (runs, session) => {
      const documents = await load(runs, session);
      return ({ entries }) => foldBatch(documents, entries);
    },
    writes: ({ documents }) => [
      {
        collection: renders.collectionName,
        operations: [...documents.values()].map(({ _id, ...replacement }) => ({
          replaceOne: { filter: { _id }, replacement, upsert: true },
        })),
      },
    ],
    committed: async (partition, { documents, status }, held) => {
      remember(partition, documents);
      await publishAbove(partition, status, held);
    },
  };
};
