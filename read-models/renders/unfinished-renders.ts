import type { Observation } from '../../domain/dispatch/dispatch.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RenderDocument } from './documents.ts';
import type { ServingRenders } from './model.ts';

type Seen = Extract<Observation, { tag: 'render_seen' }>;

/** Renders as the read model has them, which is never behind `render-status`. */
export type UnfinishedRenders = {
  /** Every render that is not final. */
  readonly all: () => Promise<readonly Seen[]>;
  readonly one: (render_id: string) => Promise<Seen | null>;
};

type Row = Pick<RenderDocument, '_id' | 'offset' | 'render' | 'facts'>;
const ROW = { projection: { offset: 1, render: 1, facts: 1 } } as const;

const seenIn = ({ offset, render, facts }: Row): Seen | null => {
  if (render === null) return null;
  const last = facts.findLast((stored) => stored.verdict === 'accepted');
  return { tag: 'render_seen', render, offset, event_id: last?.fact.meta.event_id ?? null, actor: null };
};

export const unfinishedRenders = (serving: ServingRenders): UnfinishedRenders => ({
  all: async () => {
    const seen: Seen[] = [];
    for await (const row of (await serving()).renders.find<Row>({ open: true }, ROW)) {
      const one = seenIn(row);
      if (one !== null) seen.push(one);
    }
    return seen;
  },
  one: async (render_id) => {
    const row = await (await serving()).renders.findOne<Row>({ _id: render_id }, { ...ROW, ...queryTimeout() });
    return row === null ? null : seenIn(row);
  },
});
