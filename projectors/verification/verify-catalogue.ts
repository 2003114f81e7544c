import type { Entity, EntityKind } from '../../domain/catalogue/entities.ts';
import type { CatalogueEventWithTexts } from '../../domain/catalogue/events.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { inChunks } from '../../platform/process/chunked.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type BatchEntry, decodeBatch } from '../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AuditDocument } from '../../read-models/audit/documents.ts';
import { entityOfDocument } from '../../read-models/catalogue/codec.ts';
import type { CatalogueIgnoredDocument, EntityDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollectionsIn } from '../../read-models/catalogue/model.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import { readDocumentForm } from '../../read-models/embedded/generation-form.ts';
import { acceptCatalogueEvent } from '../catalogue/fold-batch.ts';
import { payloadTexts } from '../catalogue/payload-texts.ts';
import { storedTextsOfServing } from '../catalogue/stored-texts.ts';
import { createTextWait } from '../payload-reads.ts';
import { createCatalogueFold, entityKey, type FoldedEntity, foldedEntity } from './catalogue-fold.ts';
import { type Difference, documentDifference, notInLogDifference } from './difference.ts';
import { createFindings, type Findings, type VerificationResult } from './findings.ts';
import { readFoldedPosition, truncatedLogDifference } from './folded.ts';

const EVENTS: Topic = 'catalogue-events';
const RUN = 500;
const DOCUMENTS_AT_ONCE = 200;
/** The maximum number of further rounds. Each one compares only documents that changed during the round before. */
const MAX_ROUNDS = 5;

export type VerifyCatalogueDependencies = {
  readonly records: RecordLog;
  readonly db: ReadStore['db'];
  readonly generation: number;
  readonly blobs: Pick<BlobStore, 'getSaltedPayload'>;
  readonly clock: Clock;
  readonly logger: Logger;
};

export type VerifyCatalogueOptions = {
  /** Which documents are compared; all if it is omitted. */
  readonly takes?: (entity: Entity) => boolean;
  readonly onProgress?: (done: number, all: number) => void;
  readonly stop?: AbortSignal;
};

export const entityDifference = (
  where: string,
  expected: FoldedEntity,
  found: EntityDocument | null,
): Difference | null => {
  if (found === null) return documentDifference(where, expected.document, null);
  const { document, text_sha256 } = foldedEntity(found);
  if (text_sha256 !== expected.text_sha256) {
    const text = (of: string | null): string => (of === null ? 'no text' : `the text with the SHA-256 ${of}`);
    const difference = { log: text(expected.text_sha256), found: text(text_sha256) };
    return { where, member: 'document', holder: 'store', ...difference };
  }
  return documentDifference(where, expected.document, document);
};

/** True if the blob store does not serve the text of the event and no generation has stored it. */
const isNotServed = (entry: BatchEntry<CatalogueEventWithTexts>): boolean =>
  entry.tag === 'event' && 'pending' in entry.event && entry.event.pending !== undefined;

const KINDS = Object.keys(catalogueCollections(0).entities) as readonly EntityKind[];

type Model = ReturnType<typeof catalogueCollectionsIn>;

const compareAll = async <Id, D extends { readonly _id: Id }>(
  what: string,
  where: (id: Id) => string,
  expected: readonly D[],
  read: (ids: Id[]) => Promise<readonly { readonly _id: Id }[]>,
  findings: Findings,
): Promise<void> => {
  if (expected.length === 0) return;
  const found = new Map((await read(expected.map(({ _id }) => _id))).map((document) => [document._id, document]));
  findings.count(what, expected.length);
  for (const wanted of expected)
    findings.add(documentDifference(where(wanted._id), wanted, found.get(wanted._id) ?? null));
};

/** Documents of these entities that differ from the log, by address. */
const differencesOf = async (
  model: Model,
  generation: number,
  foldedEntities: ReadonlyMap<string, FoldedEntity>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, { readonly difference: Difference; readonly offset: number | null }>> => {
  const differing = new Map<string, { difference: Difference; offset: number | null }>();
  const selected = addresses.flatMap((at) => {
    const one = foldedEntities.get(at);
    return one === undefined ? [] : [[at, one] as const];
  });
  for (const [kind, all] of Map.groupBy(selected, ([, { document }]) => document.kind)) {
    for (let begin = 0; begin < all.length; begin += DOCUMENTS_AT_ONCE) {
      const part = all.slice(begin, begin + DOCUMENTS_AT_ONCE);
      const found = await model
        .entities(kind)
        .find({ _id: { $in: part.map(([, { document }]) => document._id) } })
        .toArray();
      const stored = new Map<string, EntityDocument>(found.map((document) => [document._id, document]));
      for (const [at, one] of part) {
        const document = stored.get(one.document._id) ?? null;
        const difference = entityDifference(`catalogue@${generation}, ${at}`, one, document);
        if (difference !== null) differing.set(at, { difference, offset: document?.offset ?? null });
      }
    }
  }
  return differing;
};

/** Entities that a pending text will change. */
const pendingAddresses = async ({ pending }: Model): Promise<ReadonlySet<string>> => {
  const rows = await pending.find({}).toArray();
  return new Set(
    rows.flatMap(({ _id, project_id }) => [
      entityKey({ kind: 'project', id: project_id }),
      entityKey({ kind: 'project_version', id: _id }),
    ]),
  );
};

type VerificationContext = {
  readonly deps: VerifyCatalogueDependencies;
  readonly options: VerifyCatalogueOptions;
  readonly model: Model;
  readonly findings: Findings;
};

type FoldedLog = {
  readonly entities: ReadonlyMap<string, FoldedEntity>;
  /** Next offset of each partition. */
  readonly nexts: ReadonlyMap<number, number>;
  readonly audited: ReadonlySet<string>;
  readonly ignored: ReadonlySet<number>;
  /**
   * Folds up to the present checkpoints, and compares the audit and the ignored events of the folded records.
   *
   * @returns whether there were records to fold
   */
  readonly foldOn: () => Promise<boolean>;
};

type Bounds = Awaited<ReturnType<RecordLog['log']['bounds']>>;

const openFoldedLog = async (
  { deps, options, model, findings }: VerificationContext,
  bounds: Bounds,
): Promise<FoldedLog> => {
  const { records, db, generation, blobs, clock, logger } = deps;
  const fold = createCatalogueFold(await readDocumentForm(db, 'catalogue', generation));
  const stop = options.stop ?? new AbortController().signal;
  // Generation -1 does not exist, so texts are read from the serving generation, also if that is the verified one.
  const texts = payloadTexts({
    ...{ blobs, stored: storedTextsOfServing(db, -1), wait: createTextWait(clock, async () => 0), logger, clock },
    onCorrupt: () => undefined,
  });
  const all = bounds.reduce((sum, { end }) => sum + end, 0);
  let done = 0;
  const nexts = new Map<number, number>();
  const audited = new Set<string>();
  const ignored_ids = new Set<number>();

  const compareRun = async (
    partition: number,
    audit: readonly AuditDocument[],
    ignored: readonly CatalogueIgnoredDocument[],
  ): Promise<void> => {
    if (options.takes !== undefined) return;
    for (const { _id } of audit) audited.add(_id);
    for (const { _id } of ignored) ignored_ids.add(_id);
    await compareAll(
      ...(['audit', (id: string) => `audit of catalogue@${generation}/${partition}, ${id}`, audit] as const),
      (ids) => model.audit.find({ _id: { $in: ids } }).toArray(),
      findings,
    );
    await compareAll(
      ...(['ignored events', (id: number) => `catalogue@${generation}/${partition}, ignored ${id}`, ignored] as const),
      (ids) => model.ignored.find({ _id: { $in: ids } }).toArray(),
      findings,
    );
  };

  const foldRun = async (partition: number, run: readonly LogRecord[]): Promise<void> => {
    const decoded = await Promise.all(run.map(async ({ value }) => await records.decode(value)));
    const batch = decodeBatch<CatalogueEventWithTexts>(run, decoded, acceptCatalogueEvent);
    if (batch.stop !== null) throw new Error(`cannot fold on: ${batch.stop}`);
    for (let rest = batch.entries; rest.length > 0; ) {
      const filled = await texts(rest, stop);
      rest = rest.slice(filled.length);
      const not_served = filled.filter(isNotServed).length;
      if (not_served > 0) findings.count('texts that the blob store does not serve', not_served);
      const { audit, ignored } = fold.add(filled);
      await compareRun(partition, audit, ignored);
    }
  };

  const foldOn = async (): Promise<boolean> => {
    let moved = false;
    for (const { partition } of bounds) {
      const from = nexts.get(partition) ?? 0;
      const folded = await readFoldedPosition(records.log, EVENTS, partition, model.checkpoints);
      const { to: next } = folded;
      if (next < 0) throw new Error(`generation ${generation} of the catalogue no longer serves`);
      if (!nexts.has(partition))
        findings.add(truncatedLogDifference(`checkpoint of catalogue@${generation}/${partition}`, folded));
      nexts.set(partition, next);
      if (next <= from) continue;
      moved = true;
      for await (const run of inChunks(records.log.replay(EVENTS, partition, from, next), RUN)) {
        stop.throwIfAborted();
        await foldRun(partition, run);
        findings.count('events', run.length);
        done += run.length;
        options.onProgress?.(done, all);
      }
    }
    return moved;
  };

  return { entities: fold.entities, nexts, audited, ignored: ignored_ids, foldOn };
};

const minNext = ({ nexts }: FoldedLog): number => Math.min(...nexts.values());

/** Compares the selected entities. Entities that change meanwhile are folded and compared again. */
const compareEntities = async (
  { deps, options, model, findings }: VerificationContext,
  log: FoldedLog,
): Promise<void> => {
  const takes = options.takes ?? (() => true);
  let open: readonly string[] = [...log.entities].flatMap(([at, { document }]) =>
    takes(entityOfDocument(document)) ? [at] : [],
  );
  findings.count('entities', open.length);
  for (let round = 0; ; round += 1) {
    const differing = await differencesOf(model, deps.generation, log.entities, open);
    if (differing.size === 0) return;
    const moved = await log.foldOn();
    if (moved && round < MAX_ROUNDS) {
      open = [...differing.keys()];
      continue;
    }
    const min_next = minNext(log);
    const waiting = await pendingAddresses(model);
    for (const [at, { difference, offset }] of differing)
      if ((moved && offset !== null && offset >= min_next) || waiting.has(at)) findings.moving(1);
      else findings.add(difference);
    return;
  }
};

/** Reports stored documents that do not follow from the log, except new ones after the folded offsets. */
const reportUnknown = async (
  { deps: { generation }, model, findings }: VerificationContext,
  log: FoldedLog,
): Promise<void> => {
  const isOld = (offset: number): boolean => offset < minNext(log);
  for (const kind of KINDS)
    for await (const { _id, offset } of model.entities(kind).find({}, { projection: { offset: 1 } }))
      if (!log.entities.has(entityKey({ kind, id: _id })) && isOld(offset)) {
        // The entity may have been deleted with its project after the last fold, so new records are folded before the
        // report.
        findings.add(
          (await log.foldOn()) && !log.entities.has(entityKey({ kind, id: _id }))
            ? null
            : notInLogDifference(`catalogue@${generation}, ${entityKey({ kind, id: _id })}`),
        );
      }
  for await (const { _id, offset } of model.audit.find({}, { projection: { offset: 1 } }))
    if (!log.audited.has(_id) && isOld(offset))
      findings.add(notInLogDifference(`audit of catalogue@${generation}, ${_id}`));
  for await (const { _id } of model.ignored.find({}, { projection: { offset: 1 } }))
    if (!log.ignored.has(_id) && isOld(_id))
      findings.add(notInLogDifference(`catalogue@${generation}, ignored ${_id}`));
};

/**
 * Folds `catalogue-events` from offset 0 and compares each entity, the ignored events and the audit. The projector may
 * continue: what changes meanwhile is folded and compared again.
 */
export const verifyCatalogue = async (
  deps: VerifyCatalogueDependencies,
  options: VerifyCatalogueOptions = {},
): Promise<VerificationResult> => {
  const model = catalogueCollectionsIn(deps.db, deps.generation);
  const findings = createFindings();
  const parts: VerificationContext = { deps, options, model, findings };
  const bounds = await deps.records.log.bounds(EVENTS);
  const log = await openFoldedLog(parts, bounds);
  await log.foldOn();
  await compareEntities(parts, log);
  if (options.takes === undefined) await reportUnknown(parts, log);
  for (const { partition, end } of bounds) findings.behind(Math.max(0, end - (log.nexts.get(partition) ?? 0)));
  return findings.all();
};
