import type { PartitionLedger } from './balance.ts';

/*
 * The credits of one account as one process knows them. The process adds its own appends to the ledger of the read
 * model, which does not show them yet. A hold begins before the append is sent, so that credits cannot be spent twice.
 */

export type LogPosition = { readonly partition: number; readonly offset: number };

export type Hold = {
  readonly credits: number;
  /**
   * Requests that may still append the render. Several concurrent requests with one Idempotency-Key mean the same
   * render.
   */
  readonly requests: number;
  readonly place: LogPosition | null;
  /**
   * Until this time, in ms by the store's clock, an append without an answer may appear in the log. Null if every
   * append had an answer. Infinity until the next read of the ledger, because only the store's clock can date the
   * append.
   */
  readonly unsure_until: number | null;
};

export type Holds = {
  readonly shares: ReadonlyMap<number, PartitionLedger>;
  readonly holds: ReadonlyMap<string, Hold>;
};

export const NO_HOLDS: Holds = { shares: new Map(), holds: new Map() };

/**
 * Returns a time (ms, by the store's clock) for a render. The ledger has all appends before it in the render's
 * partition.
 */
export type LedgerWatermark = (render_id: string) => number;

/** After this time, an append without an answer is either in the log or lost. */
export const UNKNOWN_OUTCOME_MS = 70_000;

export type HoldEvent =
  | {
      readonly type: 'LedgerSeen';
      readonly shares: readonly PartitionLedger[];
      readonly shown_until: LedgerWatermark;
      /** The start of the read, in ms by the store's clock, and the holds at that time. */
      readonly read_at: number;
      readonly before: Holds;
    }
  | { readonly type: 'CreditsHeld'; readonly render_id: string; readonly credits: number }
  | { readonly type: 'HoldPlaced'; readonly render_id: string; readonly place: LogPosition }
  | { readonly type: 'HoldReleased'; readonly render_id: string }
  /** The append had no answer, so the log may have the request. */
  | { readonly type: 'HoldUnsure'; readonly render_id: string };

type LedgerSeen = Extract<HoldEvent, { readonly type: 'LedgerSeen' }>;

const isShown = ({ place }: Hold, shares: Holds['shares']): boolean =>
  place !== null && (shares.get(place.partition)?.offset ?? -1) >= place.offset;

const withHold = ({ shares, holds }: Holds, render_id: string, hold: Hold | null): Holds => {
  const changed = new Map(holds);
  if (hold === null) changed.delete(render_id);
  else changed.set(render_id, hold);
  return { shares, holds: changed };
};

/**
 * Reads may end in any order, so an older ledger of a partition never replaces a newer one. Otherwise credits would be
 * spent twice: the newer ledger ended the hold, and the older one lacks the render.
 */
const ledgerSeen = (now: Holds, event: LedgerSeen): Holds => {
  const { shown_until, read_at, before } = event;
  const shares = new Map(now.shares);
  for (const share of event.shares) {
    if (share.offset >= (shares.get(share.partition)?.offset ?? -1)) shares.set(share.partition, share);
  }
  const isOver = (render_id: string, { unsure_until }: Hold): boolean =>
    unsure_until === null || unsure_until <= shown_until(render_id);
  const bounded = ([render_id, hold]: readonly [string, Hold]): readonly [string, Hold] =>
    hold.unsure_until === null || before.holds.get(render_id) !== hold
      ? [render_id, hold]
      : [render_id, { ...hold, unsure_until: Math.min(hold.unsure_until, read_at + UNKNOWN_OUTCOME_MS) }];
  const isGone = ([render_id, hold]: readonly [string, Hold]): boolean =>
    hold.requests === 0 && (hold.place === null ? isOver(render_id, hold) : isShown(hold, shares));
  return { shares, holds: new Map([...now.holds].map(bounded).filter((one) => !isGone(one))) };
};

/** If a render has several requests in the log, the first one counts. */
const firstOf = (a: LogPosition | null, b: LogPosition): LogPosition => (a !== null && a.offset <= b.offset ? a : b);

export const evolveHolds = (before: Holds, event: HoldEvent): Holds => {
  if (event.type === 'LedgerSeen') return ledgerSeen(before, event);
  const { render_id } = event;
  const hold = before.holds.get(render_id);
  if (event.type === 'CreditsHeld') {
    const current = hold ?? { credits: 0, requests: 0, place: null, unsure_until: null };
    const credits = Math.max(current.credits, event.credits);
    return withHold(before, render_id, { ...current, credits, requests: current.requests + 1 });
  }
  if (hold === undefined) return before;
  const remaining = { ...hold, requests: Math.max(0, hold.requests - 1) };
  switch (event.type) {
    case 'HoldPlaced':
      return withHold(before, render_id, { ...remaining, place: firstOf(hold.place, event.place) });
    case 'HoldUnsure':
      return withHold(before, render_id, { ...remaining, unsure_until: Number.POSITIVE_INFINITY });
    case 'HoldReleased': {
      const gone = remaining.requests === 0 && remaining.place === null && remaining.unsure_until === null;
      return withHold(before, render_id, gone ? null : remaining);
    }
  }
};

/** Renders whose append got no answer, so it is unknown whether the log and the ledger have them. */
export const rendersWithUnknownOutcome = ({ holds }: Holds): readonly string[] =>
  [...holds].flatMap(([render_id, { requests, place }]) => (requests === 0 && place === null ? [render_id] : []));

export const creditsOnHold = ({ shares, holds }: Holds): number => {
  let sum = 0;
  for (const hold of holds.values()) if (!isShown(hold, shares)) sum += hold.credits;
  return sum;
};

/** At most one of a render's requests is accepted, so a further request needs only the difference to the hold. */
export const additionalCredits = ({ holds }: Holds, render_id: string, credits: number): number =>
  Math.max(0, credits - (holds.get(render_id)?.credits ?? 0));
