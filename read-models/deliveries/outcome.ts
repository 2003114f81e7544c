import type { UpdateOneModel } from 'mongodb';
import type { WebhookAttempt, WebhookDeliveryDocument } from './documents.ts';
import { expiryOf } from './retention.ts';

/** The result of an attempt, or the end of a delivery whose endpoint is gone. */
export type DeliveryOutcome = {
  readonly delivery_id: string;
  /** The store ignores the outcome if the delivery has another number of attempts: another process was faster. */
  readonly attempts_before: number;
  readonly attempt: WebhookAttempt | null;
  readonly result:
    | { readonly tag: 'retry'; readonly due_at: number; readonly waiting: string }
    | { readonly tag: 'succeeded' }
    | { readonly tag: 'exhausted'; readonly reason: string }
    | { readonly tag: 'skipped'; readonly reason: string };
};

const MAX_RESPONSE_BYTES = 20_000;
/** The limit for all but the last attempt, so that deliveries of a failing endpoint stay small. */
const MAX_FORMER_RESPONSE_BYTES = 2_000;

const ABOUT_BYTES = 4_000;

const ENCODER = new TextEncoder();

export const truncateUtf8 = (text: string, most_bytes: number): string => {
  if (text.length * 3 <= most_bytes) return text;
  const { read } = ENCODER.encodeInto(text, new Uint8Array(most_bytes));
  return text.slice(0, read);
};

const keptAttempt = (attempt: WebhookAttempt, is_last: boolean): WebhookAttempt => {
  const most_bytes = is_last ? MAX_RESPONSE_BYTES : MAX_FORMER_RESPONSE_BYTES;
  return { ...attempt, response: attempt.response === null ? null : truncateUtf8(attempt.response, most_bytes) };
};

const changeOf = ({ result }: DeliveryOutcome, at: number) => {
  if (result.tag === 'retry') return { $set: { waiting: result.waiting } };
  const reason = result.tag === 'succeeded' ? null : result.reason;
  return {
    $set: { state: result.tag, reason, body: null, ended_at: at, delete_at: expiryOf(result.tag, at) },
    $unset: { waiting: '' as const },
  };
};

/**
 * The filter matches only a pending delivery with the number of attempts that the outcome expects.
 *
 * @param at when the delivery ended, ms since the epoch
 */
export const outcomeUpdate = (outcome: DeliveryOutcome, at: number): UpdateOneModel<WebhookDeliveryDocument> => {
  const { delivery_id, attempts_before, attempt, result } = outcome;
  return {
    filter: { _id: delivery_id, state: 'pending', attempts: { $size: attempts_before } },
    update: {
      ...changeOf(outcome, at),
      ...(attempt === null ? {} : { $push: { attempts: keptAttempt(attempt, result.tag !== 'retry') } }),
    },
  };
};

export const outcomeSize = ({ attempt }: DeliveryOutcome): number =>
  2 * ABOUT_BYTES + Math.min(MAX_RESPONSE_BYTES, (attempt?.response?.length ?? 0) * 3);

export type StoredOutcomeMembers = Pick<WebhookDeliveryDocument, '_id' | 'state' | 'reason'> & {
  readonly attempts: readonly Pick<WebhookAttempt, 'n' | 'started_at' | 'duration_ms'>[];
};

/** True if the store already has this outcome and only its answer was lost. */
export const isOutcomeStored = (
  recorded: StoredOutcomeMembers,
  { attempts_before, attempt, result }: DeliveryOutcome,
): boolean => {
  if (attempt === null)
    return result.tag === 'skipped' && recorded.state === 'skipped' && recorded.reason === result.reason;
  const stored = recorded.attempts[attempts_before];
  return stored?.started_at === attempt.started_at && stored.duration_ms === attempt.duration_ms;
};
