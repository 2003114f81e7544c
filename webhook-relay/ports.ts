import type { Render } from '../domain/render/render.ts';
import type { WebhookEndpoint } from '../domain/webhooks/endpoint.ts';
import type { IdRange } from '../read-models/deliveries/deliveries.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from '../read-models/deliveries/documents.ts';
import type { Mend } from '../read-models/deliveries/mend.ts';
import type { Outcome } from '../read-models/deliveries/outcome.ts';
import type { Plan } from '../read-models/deliveries/plan.ts';
import type { Restored } from '../read-models/deliveries/restore.ts';

/**
 * The relay's state in MongoDB. Writes that wait share a transaction; each resolves once a majority has it. Nothing
 * rejects because the store is away: it is tried until the caller's `stop` aborts, reads until the store is closed.
 */
export type DeliveryStore = {
  /**
   * Where the planner of a partition goes on; null where it has never been. From then on the partition is this
   * process's: whoever had it before can plan in it no more. Asked for before `waiting`, so that nothing comes after that.
   */
  readonly position: (partition: number) => Promise<WebhookPositionDocument | null>;
  /**
   * Stores the deliveries that are not there yet, then moves the position, which only ever moves forward. Plans of one
   * partition are stored one after the other. Rejects with `PartitionTaken` once another process asked for the position.
   *
   * @returns the ids of those that this plan stored; the others were there before, and keep the body that they have
   */
  readonly plan: (plan: Plan, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /**
   * Stores deliveries of a partition of this process that have ended, and that only the log has. Those that are there
   * already stay as they are. Rejects with `PartitionTaken` as `plan` does.
   */
  readonly restore: (restored: Restored, stop: AbortSignal) => Promise<void>;
  /** @returns the ids of those that were mended. Rejects with `PartitionTaken` as `plan` does */
  readonly mend: (mend: Mend, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /** All deliveries of a partition whose ids are in the range, in their order. */
  readonly stored: (partition: number, range: IdRange) => AsyncIterable<WebhookDeliveryDocument>;
  readonly deliveries: (ids: readonly string[]) => Promise<readonly WebhookDeliveryDocument[]>;
  /** @returns false where another process was faster, and nothing was changed: `delivery` says what it came to */
  readonly record: (outcome: Outcome, stop: AbortSignal) => Promise<boolean>;
  /** All that waits in a partition, without bodies, as a stream: when it is due and where it goes. */
  readonly waiting: (partition: number) => AsyncIterable<{ readonly endpoint_id: string; readonly due_at: number }>;
  /**
   * Those of one queue that are due before `due_before` (ms), the first ones first, with their bodies. The narrower the
   * window, the cheaper: some stores read all that is in it.
   *
   * @param from_position the lowest position that is asked for: what follows the endpoint in `waiting`, or the beginning of it
   */
  readonly due: (
    partition: number,
    endpoint_id: string,
    due_before: number,
    limit: number,
    from_position?: string,
  ) => Promise<readonly WebhookDeliveryDocument[]>;
  readonly delivery: (id: string) => Promise<WebhookDeliveryDocument | null>;
  /** Those of a render that have not ended. */
  readonly pendingOf: (render_id: string) => Promise<readonly WebhookDeliveryDocument[]>;
  /** Drops what endpoints have answered to deliveries of a render; whether there was anything. */
  readonly dropAnswers: (render_id: string) => Promise<boolean>;
  /**
   * Partitions of which the store holds less than this process stored in them: it was restored from a backup, or is
   * another one. Rejects while the store is away.
   */
  readonly rolledBackPartitions: () => Promise<readonly number[]>;
};

/** The endpoints, from the read model of the catalogue. */
export type EndpointDirectory = {
  /**
   * Endpoints of these teams, by team, deleted ones too, after every event of the catalogue that was appended
   * before the call. Waits for the projector as long as it takes; rejects once `stop` aborts.
   */
  readonly ofTeams: (
    team_ids: readonly string[],
    stop: AbortSignal,
  ) => Promise<ReadonlyMap<string, readonly WebhookEndpoint[]>>;
  /**
   * As of a second ago at most while the store answers, else as it was known last; deleted ones are given. Null: it is
   * not there, which does not mean that it was deleted. Rejects while nothing is known for certain.
   */
  readonly endpoint: (id: string) => Promise<WebhookEndpoint | null>;
};

/** What renders are called, by id; null where one was erased. Tries until it has all; rejects once `stop` aborts. */
export type NamesOf = (
  renders: readonly Pick<Render, 'id' | 'name'>[],
  stop: AbortSignal,
) => Promise<ReadonlyMap<string, string | null>>;

/** Signed URLs of a complete render with its name, by variant; else null. Tries until it has them; rejects once `stop` aborts. */
export type OutputOf = (render: Render, stop: AbortSignal) => Promise<Readonly<Record<string, string>> | null>;

/** The record that led to a delivery, for the trail. */
export type Cause = { readonly causation_id: string; readonly correlation_id: string | null };

/** Appends the events of `webhook-events`, and only then changes the state: what the state knows is in the log. */
export type Recorder = {
  /** @param causes by delivery id */
  readonly plan: (plan: Plan, causes: ReadonlyMap<string, Cause>, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /** False where another process was faster, and where `stop` aborted before it was known. */
  readonly record: (delivery: WebhookDeliveryDocument, outcome: Outcome, stop: AbortSignal) => Promise<boolean>;
};

/** Deliveries on their way: a queue for each endpoint in each partition. */
export type EndpointQueues = {
  /** The partition is ours now: what waits in the store is taken up. */
  readonly take: (partition: number) => Promise<void>;
  /** Deliveries that were just stored, in order. */
  readonly offer: (partition: number, deliveries: readonly WebhookDeliveryDocument[]) => void;
  /** The partition is another's now. Attempts under way end by themselves; nothing else is begun. */
  readonly release: (partition: number) => void;
  /** The render was erased: from here on none of its deliveries is dialled. */
  readonly skipAllOf: (render_id: string) => void;
  /** An attempt at it was begun here, and what became of it is not stored yet. */
  readonly isUnderWay: (partition: number, endpoint_id: string, delivery_id: string) => boolean;
  /** How many of one queue wait, as far as is known: the planner skips what is beyond a limit. */
  readonly backlog: (partition: number, endpoint_id: string) => number;
  /** Begins no more attempts, lets those under way end for a moment, then cuts them off. */
  readonly stop: () => Promise<void>;
};
