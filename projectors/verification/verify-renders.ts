import pLimit from 'p-limit';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { exactCount } from '../../read-models/embedded/collections.ts';
import { readDocumentForm } from '../../read-models/embedded/generation-form.ts';
import { type RenderCollections, renderCollectionsIn } from '../../read-models/renders/model.ts';
import { type ExpectedDocuments, noExpectedIds, type StoredRow } from './compare-stored.ts';
import { notInLogDifference } from './difference.ts';
import { createFindings, type Findings, type VerificationResult } from './findings.ts';
import {
  EVENTS,
  type VerifyPartitionDependencies,
  type VerifyPartitionOptions,
  verifyPartition,
} from './verify-partition.ts';

/** The number of partitions that are verified at once: one is folded while the servers answer for others. */
const PARTITIONS_AT_ONCE = 6;

type Place = StoredRow & { readonly partition: number };

/** Reports documents that do not follow from the log, except new ones after the compared offsets. */
const inventedIn = async (
  { renders, ledger, audit, statistics }: RenderCollections,
  db: ReadStore['db'],
  generation: number,
  nexts: ReadonlyMap<number, number>,
  seen: ExpectedDocuments,
  findings: Findings,
): Promise<void> => {
  const only = { projection: { partition: 1, offset: 1 } } as const;
  const exactly = exactCount(db);
  // A cursor reads nothing until it is iterated.
  const collections: readonly (readonly [keyof ExpectedDocuments, () => Promise<number>, AsyncIterable<Place>])[] = [
    ['renders', () => exactly(renders), renders.find<Place>({}, only)],
    ['ledger', () => exactly(ledger), ledger.find<Place>({}, only)],
    ['audit', () => exactly(audit), audit.find<Place>({}, only)],
    ['statistics', () => exactly(statistics), statistics.find<Place>({}, only)],
  ];
  for (const [kind, count, documents] of collections) {
    const { ids, missing } = seen[kind];
    // Equal counts mean that all stored documents are expected.
    if ((await count()) === ids.size - missing.size) continue;
    for await (const { _id, partition, offset } of documents)
      if (!ids.has(_id) && offset < (nexts.get(partition) ?? Number.POSITIVE_INFINITY))
        findings.add(notInLogDifference(`${kind}@${generation}/${partition}, ${_id}`));
  }
};

/**
 * Folds `render-events` from offset 0 and compares renders, ledger, statistics, audit, chain and quarantine. It also
 * compares the status topic, as its readers see it. Projectors may continue: each partition is folded to its
 * checkpoint, and changes after it are folded again. Compared renders that have ended are dropped from memory.
 */
export const verifyRenders = async (
  deps: VerifyPartitionDependencies,
  options: VerifyPartitionOptions = {},
): Promise<VerificationResult> => {
  const { records, db, generation } = deps;
  const scope = options.scope ?? { tag: 'all' };
  const model = renderCollectionsIn(db, generation);
  const form = await readDocumentForm(db, 'renders', generation);
  const findings = createFindings();
  const seen: ExpectedDocuments = {
    renders: noExpectedIds(),
    ledger: noExpectedIds(),
    audit: noExpectedIds(),
    statistics: noExpectedIds(),
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
