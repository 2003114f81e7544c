import pLimit from 'p-limit';
import type { RenderEvent } from '../../domain/render/events.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import { chunked } from '../../platform/process/chunked.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { decodeBatch } from '../../platform/processor/decode-batch.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { exactCount } from '../../read-models/embedded/collections.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import { documentForm } from '../../read-models/embedded/generation-form.ts';
import { quarantineIn } from '../../read-models/quarantine.ts';
import { type RenderDocument, withErasure } from '../../read-models/renders/documents.ts';
import { type RenderModel, renderModel } from '../../read-models/renders/model.ts';
import { isPending, lacksName } from '../../read-models/renders/pending-names.ts';
import { nameHash, type SaltedName } from '../../schemas/blobs/salted-name.ts';
import { CHAIN_START, type ChainPosition, chainThrough } from '../checkpoint/chain.ts';
import { acceptRenderEvents } from '../render/accept.ts';
import type { FoldedDocument } from '../render/document.ts';
import { nameInBlob } from '../render/names.ts';
import { type Difference, documentDifference, notInLog } from './difference.ts';
import { createFindings, type Findings, type Verified } from './findings.ts';
import { cutOff, readFolded } from './folded.ts';
import { createRenderFold, type RenderFold, unnamedRequest, wholeDocument } from './render-fold.ts';
import { statusCheck } from './status-check.ts';

const EVENTS: Topic = 'render-events';
const RUN = 200;
/** The embedded store finds a hundred ids in a tenth of the time of five hundred. */
const DOCUMENTS_AT_ONCE = 100;
/** Max. comparisons of one partition that run while its fold continues. */
const COMPARED_AT_ONCE = 3;
/** While the servers answer for some partitions, another one is folded. */
const PARTITIONS_AT_ONCE = 6;
/** Max. rounds that fold and compare documents that changed meanwhile. */
const MAX_ROUNDS = 5;

export type VerifyDeps = {
  readonly records: RecordLog;
  readonly db: ReadStore['db'];
  readonly generation: number;
  readonly clock: Clock;
  /** Without it, a name that the store lacks counts as erased. */
  readonly blobs?: Pick<BlobStore, 'getPayload'>;
};

/** Which renders are compared. */
export type RenderScope =
  | { readonly tag: 'all' }
  | { readonly tag: 'renders'; readonly ids: ReadonlySet<string> }
  /** With its ledger and its statistics. */
  | { readonly tag: 'account'; readonly id: string; readonly ids: ReadonlySet<string> };

export type VerifyOptions = {
  readonly scope?: RenderScope;
  readonly onProgress?: (done: number, all: number) => void;
  /** Called for each ended render, as the log has it. */
  readonly onEnded?: (render: Render) => Promise<void>;
  readonly stop?: AbortSignal;
};

type Stored = { readonly _id: string; readonly offset: number };

const inParts = <A>(all: readonly A[]): readonly (readonly A[])[] =>
  Array.from({ length: Math.ceil(all.length / DOCUMENTS_AT_ONCE) }, (_, n) =>
    all.slice(n * DOCUMENTS_AT_ONCE, (n + 1) * DOCUMENTS_AT_ONCE),
  );

/** The name in the document if it matches the hash in the log; otherwise the name in Blob. */
const nameFor = async (
  folded: FoldedDocument,
  found: RenderDocument | null,
  blobs: VerifyDeps['blobs'],
): Promise<SaltedName | null> => {
  const request = unnamedRequest(folded);
  if (request === null) return null;
  const stored =
    typeof found?.name === 'string' && typeof found.name_salt === 'string'
      ? { name: found.name, salt: found.name_salt }
      : null;
  if (stored !== null && nameHash(stored) === request.name_sha256) return stored;
  return blobs === undefined ? null : await nameInBlob(blobs, request);
};

/** Null if the document matches the log. */
export const renderDifference = async (
  where: string,
  folded: FoldedDocument,
  found: RenderDocument | null,
  form: DocumentForm,
  blobs?: VerifyDeps['blobs'],
): Promise<Difference | null> =>
  documentDifference(
    where,
    wholeDocument(folded, await nameFor(folded, found, blobs), form),
    found === null ? null : withErasure(found),
  );

/** Ids of a collection that follow from the log, and those that the store lacks. */
type Expected = { readonly ids: Set<string>; readonly missing: Set<string> };

type Seen = Readonly<Record<'renders' | 'ledger' | 'audit' | 'statistics', Expected>>;

const nothingExpected = (): Expected => ({ ids: new Set(), missing: new Set() });

const see = ({ ids, missing }: Expected, id: string, is_there: boolean): void => {
  ids.add(id);
  if (is_there) missing.delete(id);
  else missing.add(id);
};

type PartitionParts = {
  readonly deps: VerifyDeps;
  readonly model: RenderModel;
  readonly form: DocumentForm;
  readonly scope: RenderScope;
  readonly partition: number;
  readonly partitions: number;
  readonly findings: Findings;
  readonly seen: Seen;
  readonly options: VerifyOptions;
  readonly onRecords: (count: number) => void;
};

const takesOf = (scope: RenderScope): ((render_id: string) => boolean) =>
  scope.tag === 'all' ? () => true : (id) => scope.ids.has(id);

/**
 * Compares expected documents with the stored ones.
 *
 * @returns ids of documents that have changed since `next`
 */
const compareStored = async <D extends Stored>(
  kind: keyof Seen,
  name: (id: string) => string,
  expected: readonly D[],
  read: (ids: string[]) => Promise<readonly Stored[]>,
  next: number,
  { findings, seen }: PartitionParts,
): Promise<readonly string[]> => {
  const moved: string[] = [];
  for (const part of inParts(expected)) {
    const found = new Map((await read(part.map(({ _id }) => _id))).map((document) => [document._id, document]));
    for (const wanted of part) {
      const stored = found.get(wanted._id) ?? null;
      see(seen[kind], wanted._id, stored !== null);
      if (stored !== null && stored.offset >= next) moved.push(wanted._id);
      else {
        findings.count(kind, 1);
        findings.add(documentDifference(name(wanted._id), wanted, stored));
      }
    }
  }
  return moved;
};

const quarantineDifferences = async (
  { deps: { db }, partition, findings }: PartitionParts,
  next: number,
  expected: readonly string[],
): Promise<void> => {
  const found = await quarantineIn(db)
    .find({ topic: EVENTS, partition, offset: { $lt: next } })
    .toArray();
  const ids = new Set(found.map(({ _id }) => _id));
  const wanted = new Set(expected);
  findings.count('quarantined records', wanted.size);
  for (const id of wanted) if (!ids.has(id)) findings.add(documentDifference(`quarantine, ${id}`, {}, null));
  for (const id of ids) if (!wanted.has(id)) findings.add(notInLog(`quarantine, ${id}`));
};

/**
 * @returns the offset below which everything was compared; later records are compared only for documents that had
 * changed
 */
const verifyPartition = async (parts: PartitionParts): Promise<number> => {
  const { deps, model, form, scope, partition, partitions, findings, seen, options } = parts;
  const { records, generation, clock, blobs } = deps;
  const takes = takesOf(scope);
  const accept = acceptRenderEvents((key) => partitionOfKey(key, partitions));
  const place = (read_model: string): string => `${read_model}@${generation}/${partition}`;
  const whereRender = (id: string): string => `${place('renders')}, render ${id}`;
  const fold: RenderFold = createRenderFold(partition, form);
  const status = statusCheck(records, partition, takes, findings, clock);
  const quarantined: string[] = [];

  const readNow = () => readFolded(records.log, EVENTS, partition, model.checkpoints);
  const folded = await readNow();
  const { checkpoint, to: first_next } = folded;
  let next = first_next;
  if (next < 0) throw new Error(`generation ${generation} of the renders does not serve any more`);
  let chain: ChainPosition = CHAIN_START;

  const isSelected = (record: LogRecord): boolean => scope.tag === 'all' || takes(record.key?.toString('utf8') ?? '');

  const foldedRuns = async function* (from: number, to: number) {
    for await (const run of chunked(records.log.replay(EVENTS, partition, from, to), RUN)) {
      options.stop?.throwIfAborted();
      if (scope.tag === 'all') chain = chainThrough(chain, run);
      const own = run.filter(isSelected);
      const decoded = await Promise.all(own.map(async ({ value }) => await records.decode(value)));
      const { entries, stop } = decodeBatch<RenderEvent>(own, decoded, accept);
      if (stop !== null) throw new Error(`cannot fold on: ${stop}`);
      findings.count('events', entries.length);
      parts.onRecords(run.length);
      yield fold.add(entries);
    }
  };

  /**
   * Compares renders with the store. Renders that are ahead stay in memory.
   *
   * @param folded_to a document may be ahead from this offset on
   * @returns ids of renders that are ahead
   */
  const compareRenders = async (expected: readonly FoldedDocument[], folded_to: number): Promise<readonly string[]> => {
    const ahead: string[] = [];
    for (const part of inParts(expected)) {
      const found = await model.renders.find({ _id: { $in: part.map(({ _id }) => _id) } }).toArray();
      const stored = new Map(found.map((document) => [document._id, document]));
      for (const folded of part) {
        const document = stored.get(folded._id) ?? null;
        see(seen.renders, folded._id, document !== null);
        if (document !== null && document.offset > folded.offset && document.offset >= folded_to) {
          ahead.push(folded._id);
          continue;
        }
        findings.count('renders', 1);
        const where = whereRender(folded._id);
        if (document !== null && lacksName(document) && (await isPending(model.pending, folded._id)))
          findings.moving(1);
        else findings.add(await renderDifference(where, folded, document, form, blobs));
        if (folded.render === null || !isFinal(folded.render.status)) continue;
        await options.onEnded?.(folded.render);
        // Other renders are needed if more records are folded.
        fold.drop(folded);
      }
    }
    return ahead;
  };

  let ready = new Map<string, FoldedDocument>();
  /** While the store answers for these, the next ones are folded. */
  const comparing: Promise<unknown>[] = [];
  for await (const { touched, audit, status: said, late, quarantined: poison } of foldedRuns(0, next)) {
    quarantined.push(...poison);
    for (const { render_id, offset } of late) {
      status.pass(offset);
      const where = whereRender(render_id);
      findings.add({ where, member: 'offset', log: `${offset}`, holder: 'store', found: 'an earlier one' });
    }
    await status.expect(said);
    const name = (id: string): string => `audit of ${place('renders')}, ${id}`;
    const wholeAudit = (ids: string[]) => model.audit.find({ _id: { $in: ids } }).toArray();
    await compareStored('audit', name, audit, wholeAudit, Number.POSITIVE_INFINITY, parts);
    for (const document of touched) {
      if (document.render !== null && isFinal(document.render.status)) ready.set(document._id, document);
    }
    if (ready.size < DOCUMENTS_AT_ONCE) continue;
    if (comparing.length === COMPARED_AT_ONCE) await comparing.shift();
    const compared = compareRenders([...ready.values()], 0);
    // It is awaited below, unless the fold fails first.
    compared.catch(() => undefined);
    comparing.push(compared);
    ready = new Map();
  }
  await Promise.all(comparing);
  const where_checkpoint = `checkpoint of ${place('renders')}`;
  const cut_off = cutOff(where_checkpoint, folded);
  findings.add(cut_off);
  if (scope.tag === 'all') {
    const { next: _next, ...wanted } = chain;
    if (cut_off === null)
      findings.add(
        documentDifference(
          where_checkpoint,
          wanted,
          checkpoint.next === 0
            ? wanted
            : { ...wanted, chain: checkpoint.chain, chain_before: checkpoint.chain_before },
        ),
      );
    await quarantineDifferences(parts, next, quarantined);
  }
  await status.end(next);

  /** Ids that remain to be compared; at first all. */
  let open: { readonly [K in 'renders' | 'ledger' | 'statistics']: ReadonlySet<string> | null } = {
    renders: null,
    ledger: null,
    statistics: null,
  };
  const still = <D extends { readonly _id: string }>(all: Iterable<D>, ids: ReadonlySet<string> | null): readonly D[] =>
    [...all].filter(({ _id }) => ids === null || ids.has(_id));
  const ofAccount = <D extends { readonly account_id: string }>(all: Iterable<D>): readonly D[] =>
    scope.tag === 'renders' ? [] : [...all].filter((one) => scope.tag === 'all' || one.account_id === scope.id);

  for (let round = 0; ; round += 1) {
    const renders = await compareRenders(still(fold.documents(), open.renders), next);
    const ledger = await compareStored(
      'ledger',
      (id) => `${place('ledger')}, ${id}`,
      still(ofAccount(fold.ledger().values()), open.ledger),
      (ids) => model.ledger.find({ _id: { $in: ids } }).toArray(),
      next,
      parts,
    );
    const statistics = await compareStored(
      'statistics',
      (id) => `${place('statistics')}, ${id}`,
      still(ofAccount(fold.statistics().values()), open.statistics),
      (ids) => model.statistics.find({ _id: { $in: ids } }).toArray(),
      next,
      parts,
    );
    const moved = renders.length + ledger.length + statistics.length;
    if (moved === 0) break;
    const now = await readNow();
    if (now.to === next) {
      // Documents and checkpoint change together, so no document is ahead of a checkpoint that was read later.
      for (const [where, ids] of [
        ['renders', renders],
        ['ledger', ledger],
        ['statistics', statistics],
      ] as const)
        for (const id of ids)
          findings.add({
            where: where === 'renders' ? whereRender(id) : `${place(where)}, ${id}`,
            member: 'offset',
            log: `one below ${next}`,
            holder: 'store',
            found: 'a later one',
          });
      break;
    }
    if (round === MAX_ROUNDS || now.to < next) {
      findings.moving(moved);
      break;
    }
    // Dropped renders matched when they were compared.
    for await (const _ of foldedRuns(next, now.to));
    next = now.to;
    open = { renders: new Set(renders), ledger: new Set(ledger), statistics: new Set(statistics) };
  }
  return first_next;
};

type Place = Stored & { readonly partition: number };

/** Reports documents that do not follow from the log, except new ones after the compared offsets. */
const inventedIn = async (
  { renders, ledger, audit, statistics }: RenderModel,
  db: ReadStore['db'],
  generation: number,
  nexts: ReadonlyMap<number, number>,
  seen: Seen,
  findings: Findings,
): Promise<void> => {
  const only = { projection: { partition: 1, offset: 1 } } as const;
  const exactly = exactCount(db);
  // A cursor reads nothing until it is iterated.
  const collections: readonly (readonly [keyof Seen, () => Promise<number>, AsyncIterable<Place>])[] = [
    ['renders', () => exactly(renders), renders.find<Place>({}, only)],
    ['ledger', () => exactly(ledger), ledger.find<Place>({}, only)],
    ['audit', () => exactly(audit), audit.find<Place>({}, only)],
    ['statistics', () => exactly(statistics), statistics.find<Place>({}, only)],
  ];
  for (const [kind, count, documents] of collections) {
    const { ids, missing } = seen[kind];
    // All stored documents are expected, so there is nothing to find.
    if ((await count()) === ids.size - missing.size) continue;
    for await (const { _id, partition, offset } of documents)
      if (!ids.has(_id) && offset < (nexts.get(partition) ?? Number.POSITIVE_INFINITY))
        findings.add(notInLog(`${kind}@${generation}/${partition}, ${_id}`));
  }
};

/**
 * Folds `render-events` from offset 0 and compares renders, ledger, statistics, audit, chain and quarantine. It also compares the status topic, as its readers see it. Projectors may continue: each partition is folded to its
 * checkpoint, and what changes meanwhile is folded again. Compared renders that have ended are dropped from memory.
 */
export const verifyRenders = async (deps: VerifyDeps, options: VerifyOptions = {}): Promise<Verified> => {
  const { records, db, generation } = deps;
  const scope = options.scope ?? { tag: 'all' };
  const model = renderModel(db, generation);
  const form = await documentForm(db, 'renders', generation);
  const findings = createFindings();
  const seen: Seen = {
    renders: nothingExpected(),
    ledger: nothingExpected(),
    audit: nothingExpected(),
    statistics: nothingExpected(),
  };
  const bounds = await records.log.bounds(EVENTS);
  const ofRenders = scope.tag === 'renders' ? [...scope.ids].map((id) => partitionOfKey(id, bounds.length)) : null;
  const selected = bounds.filter(({ partition }) => ofRenders === null || ofRenders.includes(partition));
  const all = selected.reduce((sum, { end }) => sum + end, 0);
  let done = 0;
  const onRecords = (count: number): void => {
    done += count;
    options.onProgress?.(done, all);
  };
  const nexts = new Map<number, number>();
  await pLimit(PARTITIONS_AT_ONCE).map(selected, async ({ partition, end }) => {
    const common = { deps, model, form, scope, findings, seen, options, onRecords };
    const next = await verifyPartition({ ...common, partition, partitions: bounds.length });
    nexts.set(partition, next);
    findings.behind(Math.max(0, end - next));
  });
  if (scope.tag === 'all') await inventedIn(model, db, generation, nexts, seen, findings);
  return findings.all();
};
