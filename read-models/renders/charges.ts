import type { Document } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { nameOf, type RenderDocument } from './documents.ts';
import type { ServingRenders } from './model.ts';

export type Charge = {
  readonly render_id: string;
  readonly name: string | null;
  readonly project_id: string;
  readonly credits: number;
  /** When the render completed, ms. */
  readonly at: number;
};

export type Period = { readonly since: number | null; readonly until: number | null };

export type Charges = {
  /** In the order of the charges. A stream, because an account may have a million. */
  readonly during: (account_id: string, period: Period) => AsyncIterable<Charge>;
  readonly sumBefore: (account_id: string, before: number) => Promise<number>;
};

type Row = Pick<RenderDocument, '_id' | 'render' | 'name'>;
const ROW = {
  projection: {
    ...{ name: 1, 'render.name': 1, 'render.erased_at': 1 },
    ...{ 'render.project_id': 1, 'render.charged_credits': 1, 'render.updated_at': 1 },
  },
} as const;
const ROWS_AT_ONCE = 1_000;
const SUM_TIMEOUT_MS = 60_000;

/** A charged render is complete, so its last change is its charge. */
const CHARGED = { 'render.charged_credits': { $gt: 0 } };

/** Has the filter, the equality and the range of the partial index of charges, so that the store can use this index. */
export const chargesFilter = (account_id: string, { since, until }: Period): Document => ({
  account_id,
  ...CHARGED,
  'render.updated_at': { $gte: since ?? 0, ...(until === null ? {} : { $lt: until }) },
});

export const openCharges = (serving: ServingRenders): Charges => ({
  during: async function* (account_id, period) {
    const { renders } = await serving();
    const filter = chargesFilter(account_id, period);
    const rows = renders.find<Row>(filter, ROW).sort({ 'render.updated_at': 1, _id: 1 }).batchSize(ROWS_AT_ONCE);
    for await (const row of rows) {
      if (row.render === null) continue;
      const { project_id, charged_credits: credits, updated_at } = row.render;
      yield { render_id: row._id, name: nameOf(row), project_id, credits, at: updated_at ?? 0 };
    }
  },
  sumBefore: async (account_id, before) => {
    const { renders } = await serving();
    const pipeline = [
      { $match: chargesFilter(account_id, { since: null, until: before }) },
      { $group: { _id: null, credits: { $sum: '$render.charged_credits' } } },
    ];
    const [sum] = await renders
      .aggregate<{ readonly credits: number }>(pipeline, queryTimeout(SUM_TIMEOUT_MS))
      .toArray();
    return sum?.credits ?? 0;
  },
});
