import type { Render } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { FACTS_WITHOUT_TEXTS, type RenderDocument } from './documents.ts';
import type { ServingRenders } from './model.ts';

export type WaitingRender = {
  readonly render: Render;
  readonly partition: number;
  readonly causation_id: string | null;
};

/** All functions reject on store outage. */
export type WaitingRenders = {
  readonly accounts: (partitions: readonly number[], before_ms: number) => Promise<ReadonlySet<string>>;
  /** Oldest first. If there are more than {@link MAX_IDS} renders, the store chooses which of them are listed. */
  readonly ids: (account_id: string, partitions: readonly number[]) => Promise<readonly string[]>;
  readonly load: (ids: readonly string[]) => Promise<readonly WaitingRender[]>;
};

type Listed = Pick<RenderDocument, '_id' | 'account_id' | 'position'>;
const LISTED = { projection: { account_id: 1, position: 1 } } as const;
type Loaded = Pick<RenderDocument, 'render' | 'partition' | 'facts'>;
const LOADED = { projection: { render: 1, partition: 1, ...FACTS_WITHOUT_TEXTS } } as const;
/**
 * The maximum number of ids that are listed for an account at a time. Further renders are listed after these are
 * prepared.
 */
export const MAX_IDS = 10_000;
const READ_TIMEOUT_MS = 30_000;

const positionOf = ({ position }: Listed): string => position ?? '';

const waitingIn = ({ render, partition, facts }: Loaded): readonly WaitingRender[] => {
  if (render?.status !== 'initializing') return [];
  const request = facts.find(({ verdict }) => verdict === 'accepted');
  const causation_id = request?.verdict === 'accepted' ? request.fact.meta.event_id : null;
  return [{ render, partition, causation_id }];
};

export const waitingRenders = (serving: ServingRenders): WaitingRenders => ({
  accounts: async (partitions, before_ms) => {
    const found = (await serving()).renders.find<Listed>(
      { open: true, status: 'initializing', partition: { $in: [...partitions] } },
      { ...LISTED, ...queryTimeout(READ_TIMEOUT_MS) },
    );
    const accounts = new Set<string>();
    // A stream, because there may be a million.
    for await (const one of found) {
      if (one.account_id != null && Number(positionOf(one).slice(0, 13)) < before_ms) accounts.add(one.account_id);
    }
    return accounts;
  },
  ids: async (account_id, partitions) => {
    const found = await (await serving()).renders
      .find<Listed>(
        { account_id, open: true, status: 'initializing', partition: { $in: [...partitions] } },
        { ...LISTED, ...queryTimeout(READ_TIMEOUT_MS) },
      )
      .limit(MAX_IDS)
      .toArray();
    // Sorted here, so that the order needs no index.
    return found.toSorted((a, b) => (positionOf(a) < positionOf(b) ? -1 : 1)).map(({ _id }) => _id);
  },
  load: async (ids) => {
    const found = await (await serving()).renders
      .find<Loaded>({ _id: { $in: [...ids] } }, { ...LOADED, ...queryTimeout(READ_TIMEOUT_MS) })
      .toArray();
    const of_id = new Map(found.flatMap(waitingIn).map((one) => [one.render.id, one]));
    return ids.flatMap((id) => of_id.get(id) ?? []);
  },
});
