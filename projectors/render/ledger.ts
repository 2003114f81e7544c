import type { RenderEvent } from '../../domain/render/events.ts';
import { isFinal, type Render } from '../../domain/render/render.ts';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { LedgerDocument } from '../../read-models/renders/documents.ts';
import type { WriteOperation } from '../checkpoint/projection.ts';

export type RenderCredits = Pick<LedgerDocument, 'reserved_credits' | 'charged_credits'>;

export const NO_CREDITS: RenderCredits = { reserved_credits: 0, charged_credits: 0 };

/** A render reserves its price until it is final: the prepared price, or before that the requested one. */
export const creditsOf = (render: Render | null): RenderCredits => {
  if (render === null) return NO_CREDITS;
  const { prepared, reserved_credits, charged_credits, status } = render;
  return { reserved_credits: isFinal(status) ? 0 : (prepared?.price_credits ?? reserved_credits), charged_credits };
};

export const addCredits = (a: RenderCredits, b: RenderCredits): RenderCredits => ({
  reserved_credits: a.reserved_credits + b.reserved_credits,
  charged_credits: a.charged_credits + b.charged_credits,
});

export type LedgerChange = RenderCredits & {
  readonly account_id: string;
  readonly partition: number;
  readonly first_offset: number;
  readonly offset: number;
};

export type LedgerChanges = ReadonlyMap<string, LedgerChange>;

/**
 * An event counts if it changes the credits of one of the account's renders. A request always counts, because the
 * command API waits until the ledger has passed it.
 */
export const ledgerAfter = (
  changes: LedgerChanges,
  { partition, offset }: Pick<LogRecord, 'partition' | 'offset'>,
  event: RenderEvent,
  before: Render | null,
  after: Render | null,
): LedgerChanges => {
  const was = creditsOf(before);
  const is = creditsOf(after);
  const difference: RenderCredits = {
    reserved_credits: is.reserved_credits - was.reserved_credits,
    charged_credits: is.charged_credits - was.charged_credits,
  };
  const changed = difference.reserved_credits !== 0 || difference.charged_credits !== 0;
  const account_id = changed ? after?.account_id : event.type === 'RenderRequested' ? event.account_id : undefined;
  if (account_id === undefined) return changes;
  const known = changes.get(account_id);
  const { reserved_credits, charged_credits } = addCredits(known ?? NO_CREDITS, difference);
  const first_offset = known?.first_offset ?? offset;
  return new Map(changes).set(account_id, {
    account_id,
    partition,
    first_offset,
    offset,
    reserved_credits,
    charged_credits,
  });
};

export const ledgerId = (account_id: string, partition: number): string => `${account_id}/${partition}`;

/**
 * The write adds to stored sums, so it must be in the transaction that moves the checkpoint over the run. If the
 * document already has one of these events, the filter does not match, and the duplicate id of the upsert aborts the
 * transaction.
 */
export const ledgerWrite = (change: LedgerChange): WriteOperation => {
  const { account_id, partition, first_offset, offset, reserved_credits, charged_credits } = change;
  return {
    updateOne: {
      filter: { _id: ledgerId(account_id, partition), offset: { $lt: first_offset } },
      update: { $inc: { reserved_credits, charged_credits }, $set: { account_id, partition, offset } },
      upsert: true,
    },
  };
};
