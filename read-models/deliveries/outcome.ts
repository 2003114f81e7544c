import type { UpdateOneModel } from 'mongodb';
import type { WebhookAttempt, WebhookDeliveryDocument } from './documents.ts';
import { deleteAt } from './retention.ts';

/** What became of a pending delivery: after an attempt, or because its endpoint is not there for it any more. */
export type Outcome = {
  readonly delivery_id: string;
  /** How many attempts it had before: the store ignores an outcome that another process was faster with. */
  readonly attempts_before: number;
  /** Null for one that is skipped without an attempt. */
  readonly attempt: WebhookAttempt | null;
  readonly result:
    | { readonly tag: 'retry'; readonly due_at: number; readonly waiting: string }
    | { readonly tag: 'succeeded' }
    | { readonly tag: 'exhausted'; readonly reason: string }
    | { readonly tag: 'skipped'; readonly reason: string };
};

const MOST_RESPONSE_BYTES = 20_000;
/** Of an attempt that another one follows: however often an endpoint fails, its deliveries stay small. */
const MOST_FORMER_RESPONSE_BYTES = 2_000;

/** What every attempt leaves beside its response, and the document's own fields. */
const ABOUT_BYTES = 4_000;

const ENCODER = new TextEncoder();

/** The beginning of a text, as much of it as fits into so many bytes of UTF-8. */
export const beginningOf = (text: string, most_bytes: number): string => {
  if (text.length * 3 <= most_bytes) return text;
  const { read } = ENCODER.encodeInto(text, new Uint8Array(most_bytes));
  return text.slice(0, read);
};

const keptAttempt = (attempt: WebhookAttempt, is_last: boolean): WebhookAttempt => {
  const most_bytes = is_last ? MOST_RESPONSE_BYTES : MOST_FORMER_RESPONSE_BYTES;
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
 * What an outcome changes, in a delivery that is as the outcome takes it to be, and in no other.
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

/** About how much a transaction grows by it. */
export const sizeOf = ({ attempt }: Outcome): number =>
  2 * ABOUT_BYTES + Math.min(MOST_RESPONSE_BYTES, (attempt?.response?.length ?? 0) * 3);

/** What has to be known of a delivery to tell whose outcome it shows. */
export type Recorded = Pick<WebhookDeliveryDocument, '_id' | 'state' | 'reason'> & {
  readonly attempts: readonly Pick<WebhookAttempt, 'n' | 'started_at' | 'duration_ms'>[];
};

/** Whether it is this outcome that a delivery shows: then it was stored before, and only the answer was lost. */
export const shows = (recorded: Recorded, { attempts_before, attempt, result }: Outcome): boolean => {
  if (attempt === null)
    return result.tag === 'skipped' && recorded.state === 'skipped' && recorded.reason === result.reason;
  const stored = recorded.attempts[attempts_before];
  return stored?.started_at === attempt.started_at && stored.duration_ms === attempt.duration_ms;
};
