import { LRUCache } from 'lru-cache';
import type { RenderEvent, RenderRequested } from '../../domain/render/events.ts';
import { foldStep } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import { StopPartition } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { BatchEntry } from '../../platform/processor/decode-batch.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { PendingName } from '../../read-models/pending-texts.ts';
import { upgradeRender } from '../../read-models/renders/documents.ts';
import { ignoredSealWrite } from '../../read-models/renders/ignored-seals.ts';
import type { RenderCollections } from '../../read-models/renders/model.ts';
import { keyTreePath, keyTreesPath } from '../../schemas/blobs/paths.ts';
import { auditWrite } from '../checkpoint/audit-write.ts';
import type { CollectionWrites, Projection, RecordRun, Session, WriteOperation } from '../checkpoint/projection.ts';
import { pendingWrite } from '../pending-texts/pending-write.ts';
import { acceptRenderEvents } from './accept.ts';
import type { FoldedDocument } from './document.ts';
import { type Documents, type FoldedRenderBatch, foldBatch } from './fold-batch.ts';
import { ledgerWrite } from './ledger.ts';
import type { RequestNames } from './names.ts';
import type { PublishStatus } from './publish.ts';
import type { PublishPosition } from './publish-position.ts';
import { statisticsWrite } from './statistics.ts';
import { type StatusToPublish, statusToPublish } from './status-record.ts';

/** The render after the event at `offset`. */
export const renderAtOffset = (document: FoldedDocument, offset: number): Render | null => {
  let render: Render | null = null;
  for (const stored of document.facts) {
    if (stored.offset > offset) break;
    if (stored.verdict !== 'accepted') continue;
    const step = foldStep(render, stored.fact, stored.appended_at);
    if (step.tag === 'accepted') render = step.render;
  }
  return render;
};

/**
 * The status records of folded events that `render-status` lacks. The documents already include later events, so the
 * state after each event is folded again from the events in its document. The document lists every accepted event.
 */
export const statusRecordsOfFolded = (
  documents: Documents,
  entries: readonly BatchEntry<RenderEvent>[],
): readonly StatusToPublish[] =>
  entries.flatMap((entry) => {
    if (entry.tag !== 'event') return [];
    const { record, event } = entry;
    const document = documents.get(event.render_id);
    const stored = document?.facts.find((event) => event.offset === record.offset);
    if (document === undefined || stored?.verdict !== 'accepted') return [];
    const [before, render] = [renderAtOffset(document, record.offset - 1), renderAtOffset(document, record.offset)];
    return render === null ? [] : [statusToPublish(record, event, stored.transition, before, render)];
  });

export type RenderProjectionDependencies = {
  readonly topic: Topic;
  readonly partitionOf: (key: Buffer) => number;
  readonly model: RenderCollections;
  readonly form: DocumentForm;
  /** False for a generation of version 1, which has no ledger. */
  readonly accounts: boolean;
  /** False for a generation below version 3, which has neither audit nor statistics. */
  readonly audits: boolean;
  readonly names: RequestNames;
  /** Null for a generation that does not serve yet: the serving one publishes. */
  readonly publishing: StatusPublishing | null;
  readonly clock: Pick<Clock, 'now'>;
};

/** The name of an accepted request whose payload or key tree was not read from Blob in time. */
type PendingOfFold = Omit<PendingName, 'since' | 'tries'>;

export type RenderFoldResult = FoldedRenderBatch & { readonly pending: readonly PendingOfFold[] };

const pendingMembers = (event: RenderRequested): Pick<PendingOfFold, 'payload' | 'name_sha256' | 'sealed'> | null => {
  const sealed = sealedRequest(event);
  if (sealed !== null) {
    const path = keyTreePath(sealed.account_id, sealed.sealed.tree) ?? keyTreesPath(sealed.account_id);
    return { payload: { path, sha256: '' }, name_sha256: '', sealed };
  }
  const { request: payload, name_sha256 } = event;
  return payload === null || name_sha256 === null ? null : { payload, name_sha256 };
};

const pendingNames = (
  { documents }: FoldedRenderBatch,
  entries: readonly BatchEntry<RenderEvent>[],
  names: RequestNames,
): readonly PendingOfFold[] =>
  entries.flatMap((entry) => {
    if (entry.tag !== 'event' || entry.event.type !== 'RenderRequested') return [];
    const { event, record } = entry;
    const { render_id: _id } = event;
    const { partition, offset } = record;
    const fault = names.pending(event);
    const stored = documents.get(_id)?.facts.find((one) => one.offset === offset);
    const members = pendingMembers(event);
    if (fault === null || members === null || stored?.verdict !== 'accepted') return [];
    return [{ _id, partition, offset, ...members, fault }];
  });

/** A document without a name is not kept in memory, because another process may store the name. */
const lacksName = ({ name }: FoldedDocument): boolean => name === null;

export type StatusPublishing = {
  readonly publish: PublishStatus;
  readonly position: (partition: number) => Promise<PublishPosition>;
};

/** Per partition. */
const MAX_DOCUMENTS_IN_MEMORY = 500;

const renderIds = (entries: readonly BatchEntry<RenderEvent>[]): ReadonlySet<string> =>
  new Set(entries.flatMap((entry) => (entry.tag === 'event' ? [entry.event.render_id] : [])));

type Assignment = {
  /** Everything above this position is still to be published. Null if this generation does not publish. */
  readonly published: number | null;
  /**
   * Documents as the last transaction committed them. If another process changes them, the checkpoint moves too, so the
   * next transaction fails.
   */
  readonly documents: LRUCache<string, FoldedDocument>;
};

/**
 * Inserts a new document, because an insert costs the store half of an upsert. Writes only the changed members of an
 * existing document, because each unchanged search token would cost an index entry.
 */
const documentWrite = (
  form: DocumentForm,
  document: FoldedDocument,
  search: readonly string[] | undefined,
  is_new: boolean,
): WriteOperation => {
  const { _id, ...plain } = document;
  const changed = { ...plain, ...form.renderMembers(document) };
  const written = search === undefined ? changed : { ...changed, search: form.renderTokens(document, search) };
  if (is_new) return { insertOne: { document: { _id, ...written } } };
  const left_lists = changed.position === null && changed.render !== null;
  return {
    updateOne: {
      filter: { _id },
      update: { $set: written, ...(left_lists && form.unlisted !== null ? { $unset: form.unlisted } : {}) },
      upsert: true,
    },
  };
};

const erasedIn = ({ status }: FoldedRenderBatch): readonly string[] =>
  status.flatMap(({ event }) => (event.type === 'RenderErased' ? [event.render_id] : []));

const writesOf = (
  { model, form, accounts, audits, clock }: RenderProjectionDependencies,
  after: RenderFoldResult,
): readonly CollectionWrites[] => {
  const { renders, ledger, audit, statistics, pending } = model;
  return [
    {
      collection: COLLECTIONS.fresh_names,
      operations: erasedIn(after).map((_id) => ({ deleteOne: { filter: { _id } } })),
    },
    {
      collection: COLLECTIONS.ignored_seals,
      operations: after.ignored_seals.map(ignoredSealWrite) as WriteOperation[],
    },
    {
      collection: pending.collectionName,
      operations: [
        ...after.pending.map((one) => pendingWrite(one, clock.now())),
        ...erasedIn(after).map((_id) => ({ deleteOne: { filter: { _id } } })),
      ],
    },
    {
      collection: renders.collectionName,
      operations: Array.from(after.documents, ([id, document]) =>
        documentWrite(form, document, after.search.get(id), after.created.has(id)),
      ),
    },
    ...(accounts
      ? [{ collection: ledger.collectionName, operations: [...after.ledger.values()].map(ledgerWrite) }]
      : []),
    ...(audits
      ? [
          { collection: audit.collectionName, operations: after.audit.map((entry) => auditWrite(form, entry)) },
          { collection: statistics.collectionName, operations: after.statistics.map(statisticsWrite) },
        ]
      : []),
  ];
};

/** Folds the events of renders into documents, and publishes them to `render-status`. */
export const renderProjection = (deps: RenderProjectionDependencies): Projection<RenderEvent, RenderFoldResult> => {
  const { topic, partitionOf, model, names, publishing } = deps;
  const { renders, checkpoints } = model;
  const assignments = new Map<number, Assignment>();

  const find = async (ids: readonly string[], session?: Session): Promise<readonly FoldedDocument[]> => {
    if (ids.length === 0) return [];
    const options = { projection: { search: 0 }, ...(session === undefined ? {} : { session }) };
    const found = await renders.find<FoldedDocument>({ _id: { $in: [...ids] } }, options).toArray();
    return found.map(upgradeRender);
  };

  const load = async (runs: readonly RecordRun<RenderEvent>[], session: Session): Promise<Documents> => {
    const loaded = new Map<string, FoldedDocument>();
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
      if (document.open && !lacksName(document)) kept?.set(id, document);
      else kept?.delete(id);
    }
  };

  const publishAbove = async (
    partition: number,
    status: readonly StatusToPublish[],
    partitionSignal: AbortSignal,
  ): Promise<void> => {
    const position = assignments.get(partition)?.published ?? null;
    if (publishing === null || position === null) return;
    await publishing.publish(
      partition,
      status.filter(({ record }) => record.source_offset > position),
      partitionSignal,
    );
  };

  return {
    topic,
    checkpoints,
    accept: acceptRenderEvents(partitionOf),
    begin: async (partition, next) => {
      const documents = new LRUCache<string, FoldedDocument>({ max: MAX_DOCUMENTS_IN_MEMORY });
      const position = (await publishing?.position(partition)) ?? null;
      if (position?.tag === 'lost') throw new StopPartition(position.reason);
      const published = position?.source_offset ?? null;
      assignments.set(partition, { published, documents });
      return published === null
        ? { begin: next, publishedUntil: 0 }
        : { begin: Math.min(next, published + 1), publishedUntil: published + 1 };
    },
    repeat: async (partition, entries, partitionSignal) => {
      const found = await find([...renderIds(entries)]);
      const documents = new Map(found.map((document) => [document._id, document]));
      await publishAbove(partition, statusRecordsOfFolded(documents, entries), partitionSignal);
    },
    prepare: async (entries, signal) => {
      await names.read(entries, signal);
      return entries;
    },
    load: async (runs, session) => {
      const documents = await load(runs, session);
      return ({ entries }) => {
        const folded = foldBatch(documents, entries, names.of);
        return { ...folded, after: { ...folded.after, pending: pendingNames(folded.after, entries, names) } };
      };
    },
    writes: (after) => writesOf(deps, after),
    committed: async (partition, { documents, status }, partitionSignal) => {
      remember(partition, documents);
      await publishAbove(partition, status, partitionSignal);
    },
  };
};
