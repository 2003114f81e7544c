import { isDeepStrictEqual } from 'node:util';
import type { RenderEvent } from '../../domain/render/events.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { chunked } from '../../platform/process/chunked.ts';
import { type BatchEntry, decodeBatch, describe } from '../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { auditDocument } from '../../read-models/audit/codec.ts';
import type { AuditDocument } from '../../read-models/audit/documents.ts';
import { quarantineIn } from '../../read-models/quarantine.ts';
import type { LedgerDocument, RenderDocument } from '../../read-models/renders/documents.ts';
import { type RenderModel, renderModel } from '../../read-models/renders/model.ts';
import { saltedNames } from '../../read-models/renders/names.ts';
import { tokensOf } from '../../read-models/renders/query-fields.ts';
import type { StatisticsDocument } from '../../read-models/statistics/documents.ts';
import { nameHash } from '../../schemas/blobs/salted-name.ts';
import { CHAIN_START, type ChainPosition, chainThrough } from '../checkpoint/chain.ts';
import { readCheckpoint } from '../checkpoint/checkpoint-store.ts';
import { acceptRenderEvents } from './accept.ts';
import type { FoldedDocument } from './document.ts';
import { foldBatch } from './fold-batch.ts';
import { addCredits, creditsOf, ledgerId, NO_CREDITS } from './ledger.ts';
import type { NameOf } from './names.ts';
import { statisticsAfter, statisticsId } from './statistics.ts';

const EVENTS = 'render-events';
const STATUS = 'render-status';
const RUN = 1_000;

export type VerifyDeps = { readonly records: RecordLog; readonly db: ReadStore['db']; readonly generation: number };

/** A difference between the read model and the log. */
export type Difference = { readonly where: string; readonly what: string };

type Expected = {
  readonly at: ChainPosition;
  readonly documents: ReadonlyMap<string, RenderDocument>;
  readonly ledger: ReadonlyMap<string, LedgerDocument>;
  readonly statistics: ReadonlyMap<string, StatisticsDocument>;
  readonly audit: ReadonlyMap<string, AuditDocument>;
  readonly status: readonly RenderFactAccepted[];
  readonly quarantined: readonly string[];
};

/** As a store returns it: without undefined members. Documents of before renders could be erased lack the time of it. */
const asStored = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, member) => (key === 'erased_at' && member === null ? undefined : member)));

const same = (a: unknown, b: unknown): boolean => isDeepStrictEqual(asStored(a), asStored(b));

const byId = <D extends { readonly _id: string }>(documents: Iterable<D>): ReadonlyMap<string, D> =>
  new Map(Array.from(documents, (document) => [document._id, document]));

/**
 * Another sum than the projector's, which adds differences: what the folded renders hold and have cost.
 *
 * @param offsets of the last event that counts, by account
 */
const ledgerOf = (
  partition: number,
  documents: Iterable<FoldedDocument>,
  offsets: ReadonlyMap<string, number>,
): ReadonlyMap<string, LedgerDocument> => {
  const ofAccount = Map.groupBy(documents, ({ render }) => render?.account_id ?? null);
  const ledger = Array.from(offsets, ([account_id, offset]): LedgerDocument => {
    const renders = (ofAccount.get(account_id) ?? []).map(({ render }) => creditsOf(render));
    return {
      _id: ledgerId(account_id, partition),
      account_id,
      partition,
      offset,
      ...renders.reduce(addCredits, NO_CREDITS),
    };
  });
  return byId(ledger);
};

/** Names outside the log, as the documents have them: one that is not what the event has a hash of is none. */
const namesIn = async (
  renders: RenderModel['renders'],
  entries: readonly BatchEntry<RenderEvent>[],
): Promise<NameOf> => {
  const ids = entries.flatMap((entry) => (entry.tag === 'event' ? [entry.event.render_id] : []));
  const names = await saltedNames(renders, ids);
  return ({ render_id, name_sha256 }) => {
    const named = names.get(render_id) ?? null;
    return named !== null && nameHash(named) === name_sha256 ? named : null;
  };
};

/** Folds one partition from its first record up to `next`, in memory. */
const foldPartition = async (
  records: RecordLog,
  renders: RenderModel['renders'],
  partition: number,
  partitions: number,
  next: number,
): Promise<Expected> => {
  const accept = acceptRenderEvents((key) => partitionOfKey(key, partitions));
  const documents = new Map<string, FoldedDocument>();
  const offsets = new Map<string, number>();
  const statistics = new Map<string, StatisticsDocument>();
  const audit: AuditDocument[] = [];
  const status: RenderFactAccepted[] = [];
  const quarantined: string[] = [];
  let at: ChainPosition = CHAIN_START;
  for await (const run of chunked(records.log.replay(EVENTS, partition, 0, next), RUN)) {
    const decoded = await Promise.all(run.map(async ({ value }) => await records.decode(value)));
    const { entries, stop } = decodeBatch<RenderEvent>(run, decoded, accept);
    const folded = foldBatch(documents, entries, await namesIn(renders, entries));
    const passed: readonly BatchEntry<RenderEvent>[] = entries.slice(0, folded.passed);
    if (stop !== null || folded.stop !== null) throw new Error(`cannot fold on: ${folded.stop ?? stop}`);
    for (const [id, document] of folded.after.documents) documents.set(id, document);
    for (const { account_id, offset } of folded.after.ledger.values()) offsets.set(account_id, offset);
    for (const change of folded.after.statistics) {
      const after = statisticsAfter(statistics.get(statisticsId(change)) ?? null, change);
      statistics.set(after._id, after);
    }
    audit.push(...folded.after.audit.map(auditDocument));
    status.push(...folded.after.status.map(({ record }) => record));
    quarantined.push(...passed.filter(({ tag }) => tag === 'poison').map(({ record }) => describe(record)));
    at = chainThrough(at, run);
  }
  const whole = Array.from(documents.values(), (it): RenderDocument => ({ ...it, search: tokensOf(it) }));
  return {
    at,
    documents: byId(whole),
    ledger: ledgerOf(partition, documents.values(), offsets),
    statistics,
    audit: byId(audit),
    status,
    quarantined,
  };
};

const documentDifferences = async <D extends { readonly _id: string }>(
  collection: string,
  documents: AsyncIterable<D>,
  expected: ReadonlyMap<string, D>,
): Promise<readonly Difference[]> => {
  const differences: Difference[] = [];
  const seen = new Set<string>();
  for await (const found of documents) {
    const where = `${collection} ${found._id}`;
    seen.add(found._id);
    const wanted = expected.get(found._id);
    if (wanted === undefined) differences.push({ where, what: 'is not in the log' });
    else if (!same(found, wanted)) differences.push({ where, what: 'is not what the log folds to' });
  }
  for (const id of expected.keys()) {
    if (!seen.has(id)) differences.push({ where: `${collection} ${id}`, what: 'is missing' });
  }
  return differences;
};

const quarantineDifferences = async (db: ReadStore['db'], partition: number, next: number, expected: Expected) => {
  const found = await quarantineIn(db)
    .find({ topic: EVENTS, partition, offset: { $lt: next } })
    .toArray();
  const ids = new Set(found.map(({ _id }) => _id));
  const wanted = new Set(expected.quarantined);
  return [
    ...[...wanted].filter((id) => !ids.has(id)).map((where) => ({ where, what: 'is missing in the quarantine' })),
    ...[...ids].filter((id) => !wanted.has(id)).map((where) => ({ where, what: 'is in the quarantine without cause' })),
  ];
};

/** What a reader of the status topic keeps: every record that is above all before it. */
const published = async (records: RecordLog, partition: number): Promise<readonly RenderFactAccepted[]> => {
  const { end = 0 } = (await records.log.bounds(STATUS)).find((bounds) => bounds.partition === partition) ?? {};
  const kept: RenderFactAccepted[] = [];
  for await (const { value } of records.log.replay(STATUS, partition, 0, end)) {
    const decoded = await records.decode(value);
    if (decoded.tag !== 'record' || decoded.record.type !== 'RenderFactAccepted') continue;
    if (decoded.record.source_offset > (kept.at(-1)?.source_offset ?? -1)) kept.push(decoded.record);
  }
  return kept;
};

/** Everything below the last one that was published must be there; what comes after it is still on its way. */
const statusDifferences = (
  partition: number,
  expected: readonly RenderFactAccepted[],
  found: readonly RenderFactAccepted[],
): readonly Difference[] => {
  const where = (offset: number | undefined): string => `${STATUS}/${partition}, source_offset ${offset}`;
  const differences: Difference[] = [];
  for (const [i, record] of found.entries()) {
    const wanted = expected[i];
    if (wanted === undefined) break; // Folded after the checkpoint was read.
    if (same(record, wanted)) continue;
    const what = record.source_offset === wanted.source_offset ? 'says something else' : 'is out of order';
    differences.push({ where: where(wanted.source_offset), what });
    break;
  }
  if (found.length < expected.length) {
    differences.push({ where: where(expected[found.length]?.source_offset), what: 'is not published' });
  }
  return differences;
};

/**
 * Folds the whole of `render-events` from offset 0 and compares: renders with all that queries need of them,
 * ledger, statistics, audit, chain, quarantine, and the status topic as its readers take it. Meant for a log at rest: a projector that moves
 * on meanwhile shows as a difference.
 *
 * @returns nothing when the read model is exactly what the log says
 */
export const verifyReadModel = async (deps: VerifyDeps): Promise<readonly Difference[]> => {
  const { records, db, generation } = deps;
  const { renders, ledger, statistics, audit, checkpoints } = renderModel(db, generation);
  const differences: Difference[] = [];
  const bounds = await records.log.bounds(EVENTS);
  for (const { partition, end } of bounds) {
    const checkpoint = await readCheckpoint(checkpoints, partition);
    const { next } = checkpoint;
    const where = `${EVENTS}/${partition}`;
    if (next < end) differences.push({ where, what: `is folded up to ${next} of ${end}` });
    const expected = await foldPartition(records, renders, partition, bounds.length, next);
    if (!same(checkpoint, expected.at)) differences.push({ where, what: 'has another chain than the checkpoint' });
    const own = { partition };
    differences.push(...(await documentDifferences('renders', renders.find(own), expected.documents)));
    differences.push(...(await documentDifferences('ledger', ledger.find(own), expected.ledger)));
    differences.push(...(await documentDifferences('statistics', statistics.find(own), expected.statistics)));
    differences.push(...(await documentDifferences('audit', audit.find(own), expected.audit)));
    differences.push(...(await quarantineDifferences(db, partition, next, expected)));
    differences.push(...statusDifferences(partition, expected.status, await published(records, partition)));
  }
  return differences;
};
