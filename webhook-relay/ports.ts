import type { Render } from '../domain/render/render.ts';
import type { WebhookEndpoint } from '../domain/webhooks/endpoint.ts';
import type { IdRange } from '../read-models/deliveries/deliveries.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from '../read-models/deliveries/documents.ts';
import type { Mend } from '../read-models/deliveries/mend.ts';
import type { Outcome } from '../read-models/deliveries/outcome.ts';
import type { Plan } from '../read-models/deliveries/plan.ts';
import type { Restored } from '../read-models/deliveries/restore.ts';

/**
 * The relay's state in MongoDB. Writes share transactions; each resolves once a majority has it. While MongoDB is
 * unavailable, writes retry until the caller's `stop` aborts, reads until the store is closed.
 */
export type DeliveryStore = {
  /**
   * The position of a partition; null if nothing was planned in it. The call makes this process the owner: plans of the
   * former owner are refused. Call it before `waiting`, which then misses no delivery.
   */
  readonly position: (partition: number) => Promise<WebhookPositionDocument | null>;
  /**
   * Stores missing deliveries, then moves the position forward. Plans of one partition are stored one after the other.
   * Rejects with `PartitionTaken` once another process took the partition.
   *
   * @returns the ids that this plan stored; the other deliveries were stored before and keep their body
   */
  readonly plan: (plan: Plan, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /**
   * Stores ended deliveries that only the log has, in a partition of this process. Stored ones stay as they are. Rejects
   * with `PartitionTaken` as `plan` does.
   */
  readonly restore: (restored: Restored, stop: AbortSignal) => Promise<void>;
  /** @returns the ids of mended deliveries. Rejects with `PartitionTaken` as `plan` does */
  readonly mend: (mend: Mend, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /** All deliveries of a partition with ids in the range, by id. */
  readonly stored: (partition: number, range: IdRange) => AsyncIterable<WebhookDeliveryDocument>;
  readonly deliveries: (ids: readonly string[]) => Promise<readonly WebhookDeliveryDocument[]>;
  /** @returns false if another process stored an outcome before; nothing changes, and `delivery` returns that state */
  readonly record: (outcome: Outcome, stop: AbortSignal) => Promise<boolean>;
  /** A stream of all deliveries that wait in a partition: only their due times and endpoints. */
  readonly waiting: (partition: number) => AsyncIterable<{ readonly endpoint_id: string; readonly due_at: number }>;
  /**
   * Deliveries of one queue that are due before `due_before` (ms), in order, with their bodies. A narrow window is cheap:
   * some stores read all of it.
   *
   * @param from_position the lowest position: the part after the endpoint in `waiting`, or a prefix of it
   */
  readonly due: (
    partition: number,
    endpoint_id: string,
    due_before: number,
    limit: number,
    from_position?: string,
  ) => Promise<readonly WebhookDeliveryDocument[]>;
  readonly delivery: (id: string) => Promise<WebhookDeliveryDocument | null>;
  /** Pending deliveries of a render. */
  readonly pendingOf: (render_id: string) => Promise<readonly WebhookDeliveryDocument[]>;
  /** Deletes the endpoints' answers to deliveries of a render. @returns whether there was any */
  readonly dropAnswers: (render_id: string) => Promise<boolean>;
  /**
   * Partitions in which the store has less than this process stored: it was restored from a backup, or is another one.
   * Rejects while MongoDB is unavailable.
   */
  readonly rolledBackPartitions: () => Promise<readonly number[]>;
};

/** The endpoints, from the read model of the catalogue. */
export type EndpointDirectory = {
  /**
   * Endpoints by team, with deleted ones, after every event of the catalogue that was appended before the call. Waits for
   * the projector without limit; rejects once `stop` aborts.
   */
  readonly ofTeams: (
    team_ids: readonly string[],
    stop: AbortSignal,
  ) => Promise<ReadonlyMap<string, readonly WebhookEndpoint[]>>;
  /**
   * The endpoint, deleted or not, at most a second old; the last known state while MongoDB is unavailable. Null if the
   * read model lacks it, which does not mean that it was deleted. Rejects if no state is certain.
   */
  readonly endpoint: (id: string) => Promise<WebhookEndpoint | null>;
};

/** Names of renders by id; null for an erased render. Retries until it has all; rejects once `stop` aborts. */
export type NamesOf = (
  renders: readonly Pick<Render, 'id' | 'name'>[],
  stop: AbortSignal,
) => Promise<ReadonlyMap<string, string | null>>;

/** Signed URLs of a complete render by variant; else null. Retries until it has them; rejects once `stop` aborts. */
export type OutputOf = (render: Render, stop: AbortSignal) => Promise<Readonly<Record<string, string>> | null>;

/** The record that caused a delivery. */
export type Cause = { readonly causation_id: string; readonly correlation_id: string | null };

/** Appends to `webhook-events` first and then changes the state, so the log has everything that the state has. */
export type Recorder = {
  /** @param causes by delivery id */
  readonly plan: (plan: Plan, causes: ReadonlyMap<string, Cause>, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /** False if another process stored an outcome before, or `stop` aborted first. */
  readonly record: (delivery: WebhookDeliveryDocument, outcome: Outcome, stop: AbortSignal) => Promise<boolean>;
};

/** Pending deliveries: one queue for each endpoint in each partition. */
export type EndpointQueues = {
  /** The partition is assigned: its deliveries in the store are loaded. */
  readonly take: (partition: number) => Promise<void>;
  /** New stored deliveries, in order. */
  readonly offer: (partition: number, deliveries: readonly WebhookDeliveryDocument[]) => void;
  /** The partition is revoked. Attempts under way end here; no other attempt begins. */
  readonly release: (partition: number) => void;
  /** The render was erased: none of its deliveries is sent from now on. */
  readonly skipAllOf: (render_id: string) => void;
  /** An attempt began in this process, and its outcome is not stored yet. */
  readonly isUnderWay: (partition: number, endpoint_id: string, delivery_id: string) => boolean;
  /** An estimate of the pending deliveries of one queue: the planner skips deliveries above a limit. */
  readonly backlog: (partition: number, endpoint_id: string) => number;
  /** Begins no further attempt. Attempts under way get some seconds, then they are cut off. */
  readonly stop: () => Promise<void>;
};
