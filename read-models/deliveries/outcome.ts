import type { UpdateOneModel } from 'mongodb';
import type { WebhookAttempt, WebhookDeliveryDocument } from './documents.ts';
import { deleteAt } from './retention.ts';

/** Outcome of a pending delivery: after an attempt, or because its endpoint is gone. */
export type Outcome = {
  readonly delivery_id: string;
  /** Its attempts before. The store ignores an outcome if another process was faster. */
  readonly attempts_before: number;
  /** Null if it is skipped without an attempt. */
  readonly attempt: WebhookAttempt | null;
  readonly result:
    | { readonly tag: 'retry'; readonly due_at: number; readonly waiting: string }
    | { readonly tag: 'succeeded' }
    | { readonly tag: 'exhausted'; readonly reason: string }
    | { readonly tag: 'skipped'; readonly reason: string };
};

const MAX_RESPONSE_BYTES = 20_000;
/** Limit for an attempt that another one follows, so that deliveries of a failing endpoint stay small. */
const MAX_FORMER_RESPONSE_BYTES = 2_000;

/** Size of an attempt without its response, and of the document's own fields. */
const ABOUT_BYTES = 4_000;

const ENCODER = new TextEncoder();

/** The longest beginning of a text that fits into this many bytes of UTF-8. */
export const beginningOf = (text: string, most_bytes: number): string => {
  if (text.length * 3 <= most_bytes) return text;
  const { read } = ENCODER.encodeInto(text, new Uint8Array(most_bytes));
  return text.slice(0, read);
};

const keptAttempt = (attempt: WebhookAttempt, is_last: boolean): WebhookAttempt => {
  const most_bytes = is_last ? MAX_RESPONSE_BYTES : MAX_FORMER_RESPONSE_BYTES;
  return { ...attempt, response: attempt.response === null ? null : beginningOf(attempt.response, most_bytes) };
};

const changeOf = ({ result }: Outcome, at: number) => {
  if (result.tag === 'retry') return { $set: { waiting: result.waiting } };
  const reason = result.tag === 'succeeded' ? null : result.reason;
  return {
    $set: { state: result.tag, reason, body: null, ended_at: at, delete_at: deleteAt(result.tag, at) },
    $unset: { waiting: '' as const },
  };
};

/**
 * The changes of an outcome, only to a delivery in the state that the outcome expects.
 *
 * @param at when it ended, ms since the epoch
 */
export const updateOf = (outcome: Outcome, at: number): UpdateOneModel<WebhookDeliveryDocument> => {
  const { delivery_id, attempts_before, attempt, result } = outcome;
  return {
    filter: { _id: delivery_id, state: 'pending', attempts: { $size: attempts_before } },
    update: {
      ...changeOf(outcome, at),
      ...(attempt === null ? {} : { $push: { attempts: keptAttempt(attempt, result.tag !== 'retry') } }),
    },
  };
};

/** Approximate size of the outcome in a transaction. */
export const sizeOf = ({ attempt }: Outcome): number =>
  2 * ABOUT_BYTES + Math.min(MAX_RESPONSE_BYTES, (attempt?.response?.length ?? 0) * 3);

/** Members of a delivery that show whose outcome it has. */
export type Recorded = Pick<WebhookDeliveryDocument, '_id' | 'state' | 'reason'> & {
  readonly attempts: readonly Pick<WebhookAttempt, 'n' | 'started_at' | 'duration_ms'>[];
};

/** Whether the delivery has this outcome: it was stored before, and only the answer was lost. */
export const shows = (recorded: Recorded, { attempts_before, attempt, result }: Outcome): boolean => {
  if (attempt === null)
    return result.tag === 'skipped' && recorded.state === 'skipped' && recorded.reason === result.reason;
  const stored = recorded.attempts[attempts_before];
  return stored?.started_at === attempt.started_at && stored.duration_ms === attempt.duration_ms;
};
