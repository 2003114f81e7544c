import type { LedgerShare } from './balance.ts';

/*
 * The credits of one account as one process knows them: the ledger as far as it was folded, and what this process has
 * appended, or is about to append, that the ledger does not show yet. Both together are what may no longer be spent.
 */

/** Where a render's request stands in the log. */
export type LogPosition = { readonly partition: number; readonly offset: number };

/** The price of one render, held back until the ledger shows it. */
export type Hold = {
  readonly credits: number;
  /** Requests that may yet append it: several at once may carry one Idempotency-Key, and so mean one render. */
  readonly requests: number;
  /** Null until the log has told. */
  readonly place: LogPosition | null;
  /**
   * Until when it may turn up in the log at an unknown place, ms by the clock of the store; null when no request of it is unsure.
   * Infinity until the ledger is read after that was told: no other clock says when it was.
   */
  readonly unsure_until: number | null;
};

export type Holds = {
  /** The newest share of each partition that was seen. */
  readonly shares: ReadonlyMap<number, LedgerShare>;
  /** By render id. */
  readonly holds: ReadonlyMap<string, Hold>;
};

export const NO_HOLDS: Holds = { shares: new Map(), holds: new Map() };

/** All that was appended of a render before that time (ms, by the clock of the store) is in the ledger. Partitions of the log differ in it. */
export type ShownUntil = (render_id: string) => number;

/** An append without an answer is in the log by then, or never will be. */
export const UNSURE_MS = 70_000;

export type HoldEvent =
  | {
      readonly type: 'LedgerSeen';
      readonly shares: readonly LedgerShare[];
      readonly shown_until: ShownUntil;
      /** When it began to be read, ms by the clock of the store, and what was held before. */
      readonly read_at: number;
      readonly before: Holds;
    }
  | { readonly type: 'CreditsHeld'; readonly render_id: string; readonly credits: number }
  /** The log has the render's request, there: as one of its requests was told, or as the read model shows. */
  | { readonly type: 'HoldPlaced'; readonly render_id: string; readonly place: LogPosition }
  /** A request that appends nothing after all. */
  | { readonly type: 'HoldReleased'; readonly render_id: string }
  /** It is not known whether the log has it. */
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
 * Shares only ever get newer, whichever order reads end in: a hold that was dropped because a newer share shows it
 * must not be missing beside an older one.
 */
const ledgerSeen = (now: Holds, event: LedgerSeen): Holds => {
  const { shown_until, read_at, before } = event;
  const shares = new Map(now.shares);
  for (const share of event.shares) {
    if (share.offset >= (shares.get(share.partition)?.offset ?? -1)) shares.set(share.partition, share);
  }
  const isOver = (render_id: string, { unsure_until }: Hold): boolean =>
    unsure_until === null || unsure_until <= shown_until(render_id);
  // One that has changed meanwhile may be unsure since the read began.
  const bounded = ([render_id, hold]: readonly [string, Hold]): readonly [string, Hold] =>
    hold.unsure_until === null || before.holds.get(render_id) !== hold
      ? [render_id, hold]
      : [render_id, { ...hold, unsure_until: Math.min(hold.unsure_until, read_at + UNSURE_MS) }];
  const isGone = ([render_id, hold]: readonly [string, Hold]): boolean =>
    hold.requests === 0 && (hold.place === null ? isOver(render_id, hold) : isShown(hold, shares));
  return { shares, holds: new Map([...now.holds].map(bounded).filter((one) => !isGone(one))) };
};

/** Of several requests of one render the first in the log counts. */
const firstOf = (a: LogPosition | null, b: LogPosition): LogPosition => (a !== null && a.offset <= b.offset ? a : b);

export const evolveHolds = (before: Holds, event: HoldEvent): Holds => {
  if (event.type === 'LedgerSeen') return ledgerSeen(before, event);
  const { render_id } = event;
  const hold = before.holds.get(render_id);
  if (event.type === 'CreditsHeld') {
    const held = hold ?? { credits: 0, requests: 0, place: null, unsure_until: null };
    const credits = Math.max(held.credits, event.credits);
    return withHold(before, render_id, { ...held, credits, requests: held.requests + 1 });
  }
  if (hold === undefined) return before;
  const told = { ...hold, requests: Math.max(0, hold.requests - 1) };
  switch (event.type) {
    case 'HoldPlaced':
      return withHold(before, render_id, { ...told, place: firstOf(hold.place, event.place) });
    case 'HoldUnsure':
      return withHold(before, render_id, { ...told, unsure_until: Number.POSITIVE_INFINITY });
    case 'HoldReleased': {
      const gone = told.requests === 0 && told.place === null && told.unsure_until === null;
      return withHold(before, render_id, gone ? null : told);
    }
  }
};

/** Renders whose append had no answer. If they are in the log, the ledger may show them already. */
export const unsureRenders = ({ holds }: Holds): readonly string[] =>
  [...holds].flatMap(([render_id, { requests, place }]) => (requests === 0 && place === null ? [render_id] : []));

/** Credits that are held and that the ledger does not show. */
export const heldCredits = ({ shares, holds }: Holds): number => {
  let held = 0;
  for (const hold of holds.values()) if (!isShown(hold, shares)) held += hold.credits;
  return held;
};

/**
 * What a render needs beyond what is held for it. One that has a hold already needs only what its price is above that:
 * of its several requests one at most will be accepted.
 */
export const neededCredits = ({ holds }: Holds, render_id: string, credits: number): number =>
  Math.max(0, credits - (holds.get(render_id)?.credits ?? 0));
