import type { RenderEvent } from '../../domain/render/events.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import { inChunks } from '../../platform/process/chunked.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { decodeBatch } from '../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { quarantineCollection } from '../../read-models/quarantine.ts';
import type { RenderCollections } from '../../read-models/renders/model.ts';
import { isNamePending, lacksName } from '../../read-models/renders/pending-names.ts';
import { type ChainPosition, extendChain, INITIAL_CHAIN_POSITION } from '../checkpoint/chain.ts';
import { acceptRenderEvents } from '../render/accept.ts';
import type { FoldedDocument } from '../render/document.ts';
import {
  addExpectedId,
  compareStored,
  DOCUMENTS_AT_ONCE,
  type ExpectedDocuments,
  inDocumentChunks,
} from './compare-stored.ts';
import { documentDifference, notInLogDifference } from './difference.ts';
import type { Findings } from './findings.ts';
import { type FoldedPosition, readFoldedPosition, truncatedLogDifference } from './folded.ts';
import { renderDifference } from './render-difference.ts';
import { createRenderFold, type RenderFold, type RunFoldResult } from './render-fold.ts';
import { type StatusCheck, statusCheck } from './status-check.ts';

export const EVENTS: Topic = 'render-events';
const RUN = 200;
/** Max. comparisons of one partition that run while its fold continues. */
const COMPARED_AT_ONCE = 3;
/** The maximum number of further rounds. Each one compares only documents that changed during the round before. */
const MAX_ROUNDS = 5;

export type VerifyPartitionDependencies = {
  readonly records: RecordLog;
  readonly db: ReadStore['db'];
  readonly generation: number;
  readonly clock: Clock;
  /** If it is omitted, a name that the store lacks counts as erased. */
  readonly blobs?: Pick<BlobStore, 'getPayload'>;
  /** If it is omitted, sealed names are not compared. */
  readonly seals?: SealOpener;
};

export type RenderScope =
  | { readonly tag: 'all' }
  | { readonly tag: 'renders'; readonly ids: ReadonlySet<string> }
  /** Also compares the ledger and the statistics of the account. */
  | { readonly tag: 'account'; readonly id: string; readonly ids: ReadonlySet<string> };

export type VerifyPartitionOptions = {
  readonly scope?: RenderScope;
  readonly onProgress?: (done: number, all: number) => void;
  /** Called for each ended render, as the log has it. */
  readonly onEnded?: (render: Render) => Promise<void>;
  readonly stop?: AbortSignal;
};

export type PartitionVerificationContext = {
  readonly deps: VerifyPartitionDependencies;
  readonly model: RenderCollections;
  readonly form: DocumentForm;
  readonly scope: RenderScope;
  readonly partition: number;
  readonly partitions: number;
  readonly findings: Findings;
  readonly seen: ExpectedDocuments;
  readonly options: VerifyPartitionOptions;
  readonly onRecords: (count: number) => void;
};

const takesOf = (scope: RenderScope): ((render_id: string) => boolean) =>
  scope.tag === 'all' ? () => true : (id) => scope.ids.has(id);

const placeOf = ({ deps, partition }: PartitionVerificationContext, read_model: string): string =>
  `${read_model}@${deps.generation}/${partition}`;

const renderPlace = (parts: PartitionVerificationContext, id: string): string =>
  `${placeOf(parts, 'renders')}, render ${id}`;

const quarantineDifferences = async (
  { deps: { db }, partition, findings }: PartitionVerificationContext,
  next: number,
  expected: readonly string[],
): Promise<void> => {
  const found = await quarantineCollection(db)
    .find({ topic: EVENTS, partition, offset: { $lt: next } })
    .toArray();
  const ids = new Set(found.map(({ _id }) => _id));
  const wanted = new Set(expected);
  findings.count('quarantined records', wanted.size);
  for (const id of wanted) if (!ids.has(id)) findings.add(documentDifference(`quarantine, ${id}`, {}, null));
  for (const id of ids) if (!wanted.has(id)) findings.add(notInLogDifference(`quarantine, ${id}`));
};

type PartitionFold = {
  readonly fold: RenderFold;
  /** Folds the records from one offset up to another, run by run. */
  readonly runs: (from: number, to: number) => AsyncGenerator<RunFoldResult>;
  /** The chain over all records that were folded. */
  readonly chain: () => ChainPosition;
};

const openPartitionFold = (parts: PartitionVerificationContext): PartitionFold => {
  const { deps, form, scope, partition, partitions, findings, options } = parts;
  const { records } = deps;
  const takes = takesOf(scope);
  const accept = acceptRenderEvents((key) => partitionOfKey(key, partitions));
  const fold = createRenderFold(partition, form);
  let chain: ChainPosition = INITIAL_CHAIN_POSITION;

  const isSelected = (record: LogRecord): boolean => scope.tag === 'all' || takes(record.key?.toString('utf8') ?? '');

  const runs = async function* (from: number, to: number): AsyncGenerator<RunFoldResult> {
    for await (const run of inChunks(records.log.replay(EVENTS, partition, from, to), RUN)) {
      options.stop?.throwIfAborted();
      if (scope.tag === 'all') chain = extendChain(chain, run);
      const own = run.filter(isSelected);
      const decoded = await Promise.all(own.map(async ({ value }) => await records.decode(value)));
      const { entries, stop } = decodeBatch<RenderEvent>(own, decoded, accept);
      if (stop !== null) throw new Error(`cannot fold on: ${stop}`);
      findings.count('events', entries.length);
      parts.onRecords(run.length);
      yield fold.add(entries);
    }
  };

  return { fold, runs, chain: () => chain };
};

/**
 * Compares folded renders with the stored documents, and drops those that have ended. If the document has newer events
 * than the fold, the render stays in memory.
 *
 * @param folded_to newer events can only be at or after this offset
 * @returns ids of renders whose documents have newer events
 */
const compareRenders = async (
  parts: PartitionVerificationContext,
  fold: RenderFold,
  expected: readonly FoldedDocument[],
  folded_to: number,
): Promise<readonly string[]> => {
  const { deps, model, form, findings, seen, options } = parts;
  const ahead: string[] = [];
  const onUnreadable = (): void => findings.count('names without a key', 1);
  const sources = { ...deps, onUnreadable };
  for (const part of inDocumentChunks(expected)) {
    const found = await model.renders.find({ _id: { $in: part.map(({ _id }) => _id) } }).toArray();
    const stored = new Map(found.map((document) => [document._id, document]));
    for (const folded of part) {
      const document = stored.get(folded._id) ?? null;
      addExpectedId(seen.renders, folded._id, document !== null);
      if (document !== null && document.offset > folded.offset && document.offset >= folded_to) {
        ahead.push(folded._id);
        continue;
      }
      findings.count('renders', 1);
      const where = renderPlace(parts, folded._id);
      if (document !== null && lacksName(document) && (await isNamePending(model.pending, folded._id)))
        findings.moving(1);
      else findings.add(await renderDifference(where, folded, document, form, sources));
      if (folded.render === null || !isFinal(folded.render.status)) continue;
      await options.onEnded?.(folded.render);
      // Only ended renders are dropped. The fold needs the others, if more records follow.
      fold.drop(folded);
    }
  }
  return ahead;
};

/**
 * Folds the partition once, up to `next`. It compares the status topic, the audit and the renders that have ended.
 *
 * @returns ids of the records that were quarantined
 */
const compareWhileFolding = async (
  parts: PartitionVerificationContext,
  { fold, runs }: PartitionFold,
  status: StatusCheck,
  next: number,
): Promise<readonly string[]> => {
  const { model, findings } = parts;
  const quarantined: string[] = [];
  let ready = new Map<string, FoldedDocument>();
  /** Comparisons that still run. The fold continues while the store answers them. */
  const comparing: Promise<unknown>[] = [];
  for await (const { touched, audit, status: said, late, quarantined: poison } of runs(0, next)) {
    quarantined.push(...poison);
    for (const { render_id, offset } of late) {
      status.pass(offset);
      const where = renderPlace(parts, render_id);
      findings.add({ where, member: 'offset', log: `${offset}`, holder: 'store', found: 'an earlier one' });
    }
    await status.expect(said);
    const name = (id: string): string => `audit of ${placeOf(parts, 'renders')}, ${id}`;
    const wholeAudit = (ids: string[]) => model.audit.find({ _id: { $in: ids } }).toArray();
    await compareStored('audit', name, audit, wholeAudit, Number.POSITIVE_INFINITY, parts);
    for (const document of touched) {
      if (document.render !== null && isFinal(document.render.status)) ready.set(document._id, document);
    }
    if (ready.size < DOCUMENTS_AT_ONCE) continue;
    if (comparing.length === COMPARED_AT_ONCE) await comparing.shift();
    const compared = compareRenders(parts, fold, [...ready.values()], 0);
    // The comparison is awaited below, unless the fold fails first.
    compared.catch(() => undefined);
    comparing.push(compared);
    ready = new Map();
  }
  await Promise.all(comparing);
  return quarantined;
};

const compareCheckpoint = (parts: PartitionVerificationContext, folded: FoldedPosition, chain: ChainPosition): void => {
  const { scope, findings } = parts;
  const where = `checkpoint of ${placeOf(parts, 'renders')}`;
  const cut_off = truncatedLogDifference(where, folded);
  findings.add(cut_off);
  if (scope.tag !== 'all' || cut_off !== null) return;
  const { checkpoint } = folded;
  const { next: _next, ...wanted } = chain;
  findings.add(
    documentDifference(
      where,
      wanted,
      checkpoint.next === 0 ? wanted : { ...wanted, chain: checkpoint.chain, chain_before: checkpoint.chain_before },
    ),
  );
};

type Compared = 'renders' | 'ledger' | 'statistics';

/** @param ids null for all */
const stillOpen = <D extends { readonly _id: string }>(
  all: Iterable<D>,
  ids: ReadonlySet<string> | null,
): readonly D[] => [...all].filter(({ _id }) => ids === null || ids.has(_id));

const inScope = <D extends { readonly account_id: string }>(scope: RenderScope, all: Iterable<D>): readonly D[] =>
  scope.tag === 'renders' ? [] : [...all].filter((one) => scope.tag === 'all' || one.account_id === scope.id);

/**
 * Compares the folded documents with the store.
 *
 * @param open ids that remain to be compared; null for all
 * @returns ids of documents that include events at or after `next`
 */
const compareDocuments = async (
  parts: PartitionVerificationContext,
  fold: RenderFold,
  open: Readonly<Record<Compared, ReadonlySet<string> | null>>,
  next: number,
): Promise<Readonly<Record<Compared, readonly string[]>>> => {
  const { model, scope } = parts;
  const renders = await compareRenders(parts, fold, stillOpen(fold.documents(), open.renders), next);
  const ledger = await compareStored(
    'ledger',
    (id) => `${placeOf(parts, 'ledger')}, ${id}`,
    stillOpen(inScope(scope, fold.ledger().values()), open.ledger),
    (ids) => model.ledger.find({ _id: { $in: ids } }).toArray(),
    next,
    parts,
  );
  const statistics = await compareStored(
    'statistics',
    (id) => `${placeOf(parts, 'statistics')}, ${id}`,
    stillOpen(inScope(scope, fold.statistics().values()), open.statistics),
    (ids) => model.statistics.find({ _id: { $in: ids } }).toArray(),
    next,
    parts,
  );
  return { renders, ledger, statistics };
};

const COMPARED: readonly Compared[] = ['renders', 'ledger', 'statistics'];

/**
 * Reports documents with newer events than a checkpoint that was read later. That is a fault, because one transaction
 * writes documents and checkpoint.
 */
const reportAhead = (
  parts: PartitionVerificationContext,
  ahead: Readonly<Record<Compared, readonly string[]>>,
  next: number,
): void => {
  for (const kind of COMPARED)
    for (const id of ahead[kind])
      parts.findings.add({
        where: kind === 'renders' ? renderPlace(parts, id) : `${placeOf(parts, kind)}, ${id}`,
        member: 'offset',
        log: `one below ${next}`,
        holder: 'store',
        found: 'a later one',
      });
};

const readNow = ({ deps: { records }, partition, model }: PartitionVerificationContext): Promise<FoldedPosition> =>
  readFoldedPosition(records.log, EVENTS, partition, model.checkpoints);

/** Compares all documents. Documents that change meanwhile are folded and compared again. */
const compareUntilSettled = async (
  parts: PartitionVerificationContext,
  { fold, runs }: PartitionFold,
  first_next: number,
): Promise<void> => {
  let next = first_next;
  let open: Readonly<Record<Compared, ReadonlySet<string> | null>> = { renders: null, ledger: null, statistics: null };
  for (let round = 0; ; round += 1) {
    const ahead = await compareDocuments(parts, fold, open, next);
    const { renders, ledger, statistics } = ahead;
    const moved = renders.length + ledger.length + statistics.length;
    if (moved === 0) return;
    const now = await readNow(parts);
    if (now.to === next) return reportAhead(parts, ahead, next);
    if (round === MAX_ROUNDS || now.to < next) return parts.findings.moving(moved);
    // Renders that were dropped matched when they were compared, so the fold ignores their further events.
    for await (const _ of runs(next, now.to));
    next = now.to;
    open = { renders: new Set(renders), ledger: new Set(ledger), statistics: new Set(statistics) };
  }
};

/**
 * @returns the offset below which everything was compared; later records are compared only for documents that had
 * changed
 */
export const verifyPartition = async (parts: PartitionVerificationContext): Promise<number> => {
  const { deps, scope, partition, findings } = parts;
  const partition_fold = openPartitionFold(parts);
  const status = statusCheck(deps.records, partition, takesOf(scope), findings, deps.clock);
  const folded = await readNow(parts);
  const next = folded.to;
  if (next < 0) throw new Error(`generation ${deps.generation} of the renders no longer serves`);
  const quarantined = await compareWhileFolding(parts, partition_fold, status, next);
  compareCheckpoint(parts, folded, partition_fold.chain());
  if (scope.tag === 'all') await quarantineDifferences(parts, next, quarantined);
  await status.end(next);
  await compareUntilSettled(parts, partition_fold, next);
  return next;
};
