import test from 'ava';
import fc from 'fast-check';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import { type Documents, foldBatch } from '../../../projectors/render/fold-batch.ts';
import { statusRecordsOfFolded } from '../../../projectors/render/projection.ts';
import type { StatusToPublish } from '../../../projectors/render/status-record.ts';
import { batchEntries } from '../../helpers/batch-entries.ts';
import { EVERY_EVENT } from '../../helpers/render-events.ts';
import { runs } from '../../helpers/runs.ts';

const RENDERS = ['rend_a', 'rend_b', 'rend_c'];

/** A partition with events of three renders, often in a likely order, and undecodable bytes in between. */
const partition: fc.Arbitrary<readonly (RenderEvent | null)[]> = fc.array(
  fc.oneof(
    { weight: 1, arbitrary: fc.constant(null) },
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom(...RENDERS), fc.constantFrom(...EVERY_EVENT))
        .map(([render_id, event]): RenderEvent => ({ ...event, render_id })),
    },
  ),
  { maxLength: 60 },
);

const likely: fc.Arbitrary<readonly (RenderEvent | null)[]> = fc
  .tuple(fc.constantFrom(...RENDERS), fc.nat({ max: EVERY_EVENT.length }), partition)
  .map(([render_id, n, rest]) => [...EVERY_EVENT.slice(0, n).map((event) => ({ ...event, render_id })), ...rest]);

const log = fc.oneof(partition, likely).map((events) => batchEntries(events));
const cuts = fc.array(fc.nat({ max: 12 }), { maxLength: 30 });

type Outcome = { readonly documents: Documents; readonly status: readonly StatusToPublish[] };

const inBatches = (entries: readonly BatchEntry<RenderEvent>[], sizes: readonly number[]): Outcome => {
  const documents = new Map<string, Documents extends ReadonlyMap<string, infer D> ? D : never>();
  const status: StatusToPublish[] = [];
  const rest = [...entries];
  for (const size of [...sizes, entries.length]) {
    const { after } = foldBatch(documents, rest.splice(0, size));
    for (const [id, document] of after.documents) documents.set(id, document);
    status.push(...after.status);
  }
  return { documents, status };
};

test('documents and status records do not depend on batches', (t) => {
  fc.assert(
    fc.property(log, cuts, (entries, sizes) => {
      t.deepEqual(inBatches(entries, sizes), inBatches(entries, []));
    }),
    { numRuns: runs(500) },
  );
});

test('status records missing after a crash are rebuilt identically from the documents', (t) => {
  fc.assert(
    fc.property(log, fc.nat({ max: 60 }), (entries, cut) => {
      const { documents, status } = inBatches(entries, []);
      const published = status.slice(0, cut).at(-1)?.record.source_offset ?? -1;
      const lacking = entries.filter(({ record }) => record.offset > published);
      t.deepEqual(statusRecordsOfFolded(documents, lacking), status.slice(cut));
    }),
    { numRuns: runs(500) },
  );
});

test('each render has one gap-free chain of transitions in the status topic', (t) => {
  fc.assert(
    fc.property(log, (entries) => {
      const { status } = inBatches(entries, []);
      for (const id of RENDERS) {
        const transitions = status.flatMap(({ record }) =>
          record.render_id === id && record.transition !== null ? [record.transition] : [],
        );
        t.deepEqual(
          transitions.map(({ seq }) => seq),
          transitions.map((_, i) => i + 1),
        );
        t.deepEqual(
          transitions.slice(1).map(({ from }) => from),
          transitions.slice(0, -1).map(({ to }) => to),
        );
      }
    }),
    { numRuns: runs(500) },
  );
});
