import { createHash } from 'node:crypto';
import type { Entity, EntityKind, EntityRef } from '../../domain/catalogue/entities.ts';
import type { FoldedEvent } from '../../domain/catalogue/events.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { chunked } from '../../platform/process/chunked.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type BatchEntry, decodeBatch } from '../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { auditDocument } from '../../read-models/audit/codec.ts';
import type { AuditDocument } from '../../read-models/audit/documents.ts';
import { entityOfDocument } from '../../read-models/catalogue/codec.ts';
import type { CatalogueIgnoredDocument, EntityDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueModel } from '../../read-models/catalogue/model.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { documentForm } from '../../read-models/embedded/generation-form.ts';
import { acceptEvent, entitiesNamed, foldCatalogue } from '../catalogue/fold-batch.ts';
import { payloadTexts } from '../catalogue/payload-texts.ts';
import { textsOfServing } from '../catalogue/stored-texts.ts';
import { createTextWait } from '../payload-reads.ts';
import { type Difference, documentDifference, notInLog } from './difference.ts';
import { createFindings, type Findings, type Verified } from './findings.ts';
import { cutOff, readFolded } from './folded.ts';

const EVENTS: Topic = 'catalogue-events';
const RUN = 500;
const DOCUMENTS_AT_ONCE = 200;
/** Max. rounds that fold and compare documents that changed meanwhile. */
const MAX_ROUNDS = 5;

export type CatalogueDeps = {
  readonly records: RecordLog;
  readonly db: ReadStore['db'];
  readonly generation: number;
  readonly blobs: Pick<BlobStore, 'getSaltedPayload'>;
  readonly clock: Clock;
  readonly logger: Logger;
};

export type CatalogueOptions = {
  /** Which documents are compared; all if it is omitted. */
  readonly takes?: (entity: Entity) => boolean;
  readonly onProgress?: (done: number, all: number) => void;
  readonly stop?: AbortSignal;
};

const address = ({ kind, id }: EntityRef): string => `${kind} ${id}`;

/** An entity as the log has it. Documents of projects are large, so only the hash of their text is kept. */
export type FoldedEntity = { readonly document: EntityDocument; readonly text_sha256: string | null };

export const foldedEntity = (document: EntityDocument): FoldedEntity => {
  if (document.kind !== 'project_version' || document.document === null) return { document, text_sha256: null };
  const text_sha256 = createHash('sha256').update(document.document).digest('hex');
  return { document: { ...document, document: null }, text_sha256 };
};

/** Null if the entity matches the log. */
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

/** A catalogue, folded from the log. */
const createCatalogueFold = (form: DocumentForm) => {
  const entities = new Map<string, FoldedEntity>();
  const find = (refs: readonly EntityRef[]): readonly Entity[] =>
    refs.flatMap((ref) => {
      const held = entities.get(address(ref));
      return held === undefined ? [] : [entityOfDocument(held.document)];
    });
  return {
    entities,
    add: (entries: Parameters<typeof foldCatalogue>[2]) => {
      let loaded = entitiesNamed(entries);
      for (;;) {
        const { after, stop, lacking } = foldCatalogue(loaded, find(loaded), entries);
        if (lacking.length > 0) {
          loaded = [...loaded, ...lacking];
          continue;
        }
        if (stop !== null) throw new Error(`cannot fold on: ${stop}`);
        for (const document of after.changed.map(form.entity))
          entities.set(address({ kind: document.kind, id: document._id }), foldedEntity(document));
        for (const { kind, ids } of after.dropped) for (const id of ids) entities.delete(address({ kind, id }));
        return { audit: after.audit.map((entry) => form.audit(auditDocument(entry))), ignored: after.ignored };
      }
    },
  };
};

/** The text is compared as missing. If the store has it, it is taken from the store. */
const isNotServed = (entry: BatchEntry<FoldedEvent>): boolean =>
  entry.tag === 'event' && 'pending' in entry.event && entry.event.pending !== undefined;

const KINDS = Object.keys(catalogueCollections(0).entities) as readonly EntityKind[];

type Model = ReturnType<typeof catalogueModel>;

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
  held: ReadonlyMap<string, FoldedEntity>,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, { readonly difference: Difference; readonly offset: number | null }>> => {
  const differing = new Map<string, { difference: Difference; offset: number | null }>();
  const selected = addresses.flatMap((at) => {
    const one = held.get(at);
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
      address({ kind: 'project', id: project_id }),
      address({ kind: 'project_version', id: _id }),
    ]),
  );
};

/**
 * Folds `catalogue-events` from offset 0 and compares each entity, the ignored events and the audit. The projector may
 * continue: what changes meanwhile is folded and compared again.
 */
export const verifyCatalogue = async (deps: CatalogueDeps, options: CatalogueOptions = {}): Promise<Verified> => {
  const { records, db, generation, blobs, clock, logger } = deps;
  const model = catalogueModel(db, generation);
  const findings = createFindings();
  const fold = createCatalogueFold(await documentForm(db, 'catalogue', generation));
  const stop = options.stop ?? new AbortController().signal;
  // The texts come from the serving generation.
  const texts = payloadTexts({
    ...{ blobs, stored: textsOfServing(db, -1), wait: createTextWait(clock, async () => 0), logger, clock },
    onCorrupt: () => undefined,
  });
  const whole = options.takes === undefined;
  const bounds = await records.log.bounds(EVENTS);
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
    if (!whole) return;
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

  /**
   * @returns whether there were records to fold
   */
  const foldOn = async (): Promise<boolean> => {
    let moved = false;
    for (const { partition } of bounds) {
      const from = nexts.get(partition) ?? 0;
      const folded = await readFolded(records.log, EVENTS, partition, model.checkpoints);
      const { to: next } = folded;
      if (next < 0) throw new Error(`generation ${generation} of the catalogue does not serve any more`);
      if (!nexts.has(partition)) findings.add(cutOff(`checkpoint of catalogue@${generation}/${partition}`, folded));
      nexts.set(partition, next);
      if (next <= from) continue;
      moved = true;
      for await (const run of chunked(records.log.replay(EVENTS, partition, from, next), RUN)) {
        stop.throwIfAborted();
        const decoded = await Promise.all(run.map(async ({ value }) => await records.decode(value)));
        const batch = decodeBatch<FoldedEvent>(run, decoded, acceptEvent);
        if (batch.stop !== null) throw new Error(`cannot fold on: ${batch.stop}`);
        for (let rest = batch.entries; rest.length > 0; ) {
          const filled = await texts(rest, stop);
          rest = rest.slice(filled.length);
          const not_served = filled.filter(isNotServed).length;
          if (not_served > 0) findings.count('texts that the blob store does not serve', not_served);
          const { audit, ignored } = fold.add(filled);
          await compareRun(partition, audit, ignored);
        }
        findings.count('events', run.length);
        done += run.length;
        options.onProgress?.(done, all);
      }
    }
    return moved;
  };

  await foldOn();
  const takes = options.takes ?? (() => true);
  let open: readonly string[] = Array.from(fold.entities, ([at, { document }]) => ({ at, document })).flatMap(
    ({ at, document }) => (takes(entityOfDocument(document)) ? [at] : []),
  );
  findings.count('entities', open.length);
  for (let round = 0; ; round += 1) {
    const differing = await differencesOf(model, generation, fold.entities, open);
    if (differing.size === 0) break;
    const moved = await foldOn();
    if (moved && round < MAX_ROUNDS) {
      open = [...differing.keys()];
      continue;
    }
    const min_next = Math.min(...nexts.values());
    const waiting = await pendingAddresses(model);
    for (const [at, { difference, offset }] of differing)
      if ((moved && offset !== null && offset >= min_next) || waiting.has(at)) findings.moving(1);
      else findings.add(difference);
    break;
  }

  const isOld = (offset: number): boolean => offset < Math.min(...nexts.values());
  if (whole) {
    for (const kind of KINDS)
      for await (const { _id, offset } of model.entities(kind).find({}, { projection: { offset: 1 } }))
        if (!fold.entities.has(address({ kind, id: _id })) && isOld(offset)) {
          // It may have been deleted with its project since.
          findings.add(
            (await foldOn()) && !fold.entities.has(address({ kind, id: _id }))
              ? null
              : notInLog(`catalogue@${generation}, ${address({ kind, id: _id })}`),
          );
        }
    for await (const { _id, offset } of model.audit.find({}, { projection: { offset: 1 } }))
      if (!audited.has(_id) && isOld(offset)) findings.add(notInLog(`audit of catalogue@${generation}, ${_id}`));
    for await (const { _id } of model.ignored.find({}, { projection: { offset: 1 } }))
      if (!ignored_ids.has(_id) && isOld(_id)) findings.add(notInLog(`catalogue@${generation}, ignored ${_id}`));
  }
  for (const { partition, end } of bounds) findings.behind(Math.max(0, end - (nexts.get(partition) ?? 0)));
  return findings.all();
};
