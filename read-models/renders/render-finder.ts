import type { Render } from '../../domain/render/render.ts';
import { renderIdTime } from '../../domain/render/render-id.ts';
import type { StoredEvent } from '../../domain/render/stored-event.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { openDocumentWaits } from '../../platform/read-store/document-waits.ts';
import type { Renders, VisibleRender } from './renders.ts';

/**
 * Requests that wait for renders that are not folded yet. Each uses one of the gateway's 256 connections to this API.
 * So they take at most half of them, and one account an eighth.
 */
const MAX_WAITING = 128;
const MAX_OF_ACCOUNT = 32;

/** Runs a wait; returns null if no more requests may wait. The limits are for all requests of the process. */
export type BoundedWaits = <A>(account_id: string, wait: () => Promise<A>) => Promise<A> | null;

export const openBoundedWaits = (): BoundedWaits => {
  const by_account = new Map<string, number>();
  let all = 0;

  const add = (account_id: string, change: 1 | -1): void => {
    const count = (by_account.get(account_id) ?? 0) + change;
    if (count === 0) by_account.delete(account_id);
    else by_account.set(account_id, count);
    all += change;
  };

  return (account_id, wait) => {
    if (all >= MAX_WAITING || (by_account.get(account_id) ?? 0) >= MAX_OF_ACCOUNT) return null;
    add(account_id, 1);
    return wait().finally(() => add(account_id, -1));
  };
};

/**
 * A render whose id is older than the watermark by more than this is folded, if it exists. The time covers the append
 * after the creation of the id, the difference of two machines' clocks (5 s), and a margin. If the append takes over 3
 * s, POST returns the id only after the fold.
 */
const MARGIN_MS = 10_000;
const LONGEST_WAIT_MS = 2_000;
/** An id from further in the future does not exist, because this service never creates such ids. */
const MAX_AHEAD_MS = 60_000;
/** Ids with this time are derived from an Idempotency-Key, and found only after they are folded. */
const NO_TIME = 0;

export type FoundRender =
  | { readonly tag: 'found'; readonly render: Render; readonly events: readonly StoredEvent[] }
  | { readonly tag: 'not_found' }
  /** The render may have been accepted a moment ago; the client should retry. */
  | { readonly tag: 'not_yet' };

export type RequesterScope = {
  readonly account_id: string;
  readonly teams: { readonly has: (team_id: string) => boolean };
};

export type RenderFinder = (id: string, reach: RequesterScope) => Promise<FoundRender>;

/**
 * Read-your-writes: after the response to POST, the answer is never "not found", although the read model lags behind
 * the log. A hidden render is handled like a missing one, including the wait, so that the answer's time reveals
 * nothing.
 */
export const openRenderFinder = (
  renders: Pick<Renders, 'find' | 'findAll' | 'foldedUntil'>,
  clock: Clock,
  waits = openBoundedWaits(),
): RenderFinder => {
  const arrivals = openDocumentWaits(renders.findAll, clock);

  return async (id, reach) => {
    const minted = renderIdTime(id);
    if (minted === null || minted > clock.now() + MAX_AHEAD_MS) return { tag: 'not_found' };

    const visible = ({ render }: VisibleRender): boolean => render !== null && reach.teams.has(render.team_id);
    const found = (document: VisibleRender | null): FoundRender =>
      document !== null && document.render !== null && visible(document)
        ? { tag: 'found', render: document.render, events: document.facts }
        : { tag: 'not_found' };

    // Read before the document: the document then has everything before this watermark.
    const folded_until = (await renders.foldedUntil())(id);
    const document = await renders.find(id);
    const now = found(document);
    if (document?.pending_in !== undefined && reach.teams.has(document.pending_in)) return { tag: 'not_yet' };
    const is_erased = document?.erased_in !== undefined && reach.teams.has(document.erased_in);
    if (now.tag === 'found' || is_erased || minted === NO_TIME || minted < folded_until - MARGIN_MS) return now;

    const arrived = await waits(reach.account_id, () => arrivals.wait(id, visible, LONGEST_WAIT_MS));
    const arrival = found(arrived);
    return arrival.tag === 'found' ? arrival : { tag: 'not_yet' };
  };
};
