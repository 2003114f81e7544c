import test from 'ava';
import fc from 'fast-check';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { BatchEntry } from '../../../platform/processor/decode-batch.ts';
import type { FoldedDocument } from '../../../projectors/render/document.ts';
import { foldBatch } from '../../../projectors/render/fold-batch.ts';
import {
  addCredits,
  creditsOf,
  type LedgerChange,
  ledgerWrite,
  NO_CREDITS,
  type RenderCredits,
} from '../../../projectors/render/ledger.ts';
import { batchEntries } from '../../helpers/batch-entries.ts';
import {
  assigned,
  completed,
  EVERY_EVENT,
  failed,
  finished,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';
import { runs } from '../../helpers/runs.ts';

const LIFE = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

const after = (events: readonly (RenderEvent | null)[], account_id = 'acc_1') => {
  const { ledger } = foldBatch(new Map(), batchEntries(events)).after;
  const { reserved_credits, charged_credits, offset } = ledger.get(account_id) ?? { ...NO_CREDITS, offset: -1 };
  return [reserved_credits, charged_credits, offset];
};

test('a request reserves, preparation sets the price, completion charges', (t) => {
  const dearer: RenderEvent = { ...prepared, price_credits: 12 };
  const events = [LIFE[0] ?? null, dearer, ...LIFE.slice(2)];
  t.deepEqual(after(events.slice(0, 1)), [10, 0, 0]);
  t.deepEqual(after(events.slice(0, 2)), [12, 0, 1]);
  t.deepEqual(after(events.slice(0, 5)), [12, 0, 1]);
  t.deepEqual(after(events), [0, 12, 5]);
});

test('a failure releases the reserved credits', (t) => {
  t.deepEqual(after([requested(), failed('preparer:prep_1', null)]), [0, 0, 1]);
  t.deepEqual(after([requested(), prepared, failed('dispatcher:disp_1', null)]), [0, 0, 2]);
});

test('ignored events cost nothing, but an ignored request moves the offset', (t) => {
  t.deepEqual(after([requested(), requested()]), [10, 0, 1]);
  t.deepEqual(after([requested(), requested({ account_id: 'acc_2' })]), [10, 0, 0]);
  t.deepEqual(after([requested(), requested({ account_id: 'acc_2' })], 'acc_2'), [0, 0, 1]);
  t.deepEqual(after([...LIFE, completed('att_1'), failed('worker:wkr_1', 'att_1')]), [0, 10, 5]);
  t.deepEqual(after([prepared]), [0, 0, -1]);
});

test('each account has its own ledger', (t) => {
  const events = [requested(), requested({ render_id: 'rend_2', account_id: 'acc_2', reserved_credits: 3 })];
  t.deepEqual(after(events), [10, 0, 0]);
  t.deepEqual(after(events, 'acc_2'), [3, 0, 1]);
});

test('a change is written only to a document without its events', (t) => {
  const { ledger } = foldBatch(new Map(), batchEntries([null, requested(), prepared, requested()], 40)).after;
  const [change] = [...ledger.values()];
  if (change === undefined) throw new Error('no change');
  t.deepEqual(ledgerWrite(change), {
    updateOne: {
      filter: { _id: 'acc_1/2', offset: { $lt: 41 } },
      update: {
        $inc: { reserved_credits: 10, charged_credits: 0 },
        $set: { account_id: 'acc_1', partition: 2, offset: 43 },
      },
      upsert: true,
    },
  });
});

test('search tokens are written once, when the render appears', (t) => {
  const first = foldBatch(new Map(), batchEntries([prepared]));
  t.deepEqual([...first.after.search.values()], [[]]);
  const second = foldBatch(first.after.documents, batchEntries([requested(), prepared], 1));
  t.true(second.after.search.values().next().value?.includes('proj_1:=spring'));
  const third = foldBatch(second.after.documents, batchEntries([assigned('att_1', 1)], 3));
  t.is(third.after.search.size, 0);
});

const RENDERS = ['rend_a', 'rend_b', 'rend_c', 'rend_d'];
const ACCOUNTS = ['acc_1', 'acc_2'];

const event: fc.Arbitrary<RenderEvent> = fc
  .record({
    render_id: fc.constantFrom(...RENDERS),
    of: fc.constantFrom(...EVERY_EVENT, ...LIFE, ...LIFE),
    account_id: fc.constantFrom(...ACCOUNTS),
    project_id: fc.constantFrom('proj_1', 'proj_2'),
    credits: fc.nat({ max: 50 }),
  })
  .map(({ render_id, of, account_id, project_id, credits }): RenderEvent => {
    if (of.type === 'RenderRequested') return { ...of, render_id, account_id, project_id, reserved_credits: credits };
    if (of.type === 'RenderPrepared') return { ...of, render_id, price_credits: credits };
    return { ...of, render_id };
  });

/** Lives of some renders in the usual order, each cut off after a random number of events. */
const lives = fc
  .array(fc.tuple(fc.constantFrom(...RENDERS), fc.nat({ max: LIFE.length })), { maxLength: 6 })
  .map((parts) => parts.flatMap(([render_id, n]) => LIFE.slice(0, n).map((it): RenderEvent => ({ ...it, render_id }))));

const log = fc
  .tuple(fc.array(fc.option(event, { freq: 8 }), { maxLength: 80 }), lives)
  .map(([anything, ordered]) => batchEntries([...ordered, ...anything]));
const cuts = fc.array(fc.nat({ max: 12 }), { maxLength: 30 });

type Store = {
  readonly documents: Map<string, FoldedDocument>;
  readonly ledger: Map<string, RenderCredits & { readonly offset: number }>;
  readonly search: Map<string, readonly string[]>;
};

const add = (store: Store, { account_id, offset, ...change }: LedgerChange): void => {
  const sum = addCredits(store.ledger.get(account_id) ?? NO_CREDITS, change);
  store.ledger.set(account_id, { ...sum, offset });
};

/** The store after the log is folded in batches of these sizes. */
const inBatches = (entries: readonly BatchEntry<RenderEvent>[], sizes: readonly number[]): Store => {
  const store: Store = { documents: new Map(), ledger: new Map(), search: new Map() };
  const rest = [...entries];
  for (const size of [...sizes, entries.length]) {
    const { after: folded } = foldBatch(store.documents, rest.splice(0, size));
    for (const [id, document] of folded.documents) store.documents.set(id, document);
    for (const change of folded.ledger.values()) add(store, change);
    for (const [id, tokens] of folded.search) store.search.set(id, tokens);
  }
  return store;
};

test('the ledger is the sum over the folded renders', (t) => {
  fc.assert(
    fc.property(log, cuts, (entries, sizes) => {
      const { documents, ledger } = inBatches(entries, sizes);
      for (const account_id of ACCOUNTS) {
        const own = [...documents.values()].flatMap(({ render }) =>
          render?.account_id === account_id ? [render] : [],
        );
        const { reserved_credits, charged_credits } = ledger.get(account_id) ?? NO_CREDITS;
        t.deepEqual({ reserved_credits, charged_credits }, own.map(creditsOf).reduce(addCredits, NO_CREDITS));
        t.true(reserved_credits >= 0 && charged_credits >= 0);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

test('ledger and tokens do not depend on batches', (t) => {
  fc.assert(
    fc.property(log, cuts, (entries, sizes) => t.deepEqual(inBatches(entries, sizes), inBatches(entries, []))),
    { numRuns: runs(500) },
  );
});

test("an account's ledger counts every request", (t) => {
  fc.assert(
    fc.property(log, cuts, (entries, sizes) => {
      const { ledger } = inBatches(entries, sizes);
      for (const entry of entries) {
        if (entry.tag !== 'event' || entry.event.type !== 'RenderRequested') continue;
        t.true((ledger.get(entry.event.account_id)?.offset ?? -1) >= entry.record.offset);
      }
    }),
    { numRuns: runs(500) },
  );
});
