import type { Render } from '../domain/render/render.ts';
import type { WebhookEndpoint } from '../domain/webhooks/endpoint.ts';
import type { IdRange } from '../read-models/deliveries/deliveries.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from '../read-models/deliveries/documents.ts';
import type { DeliveryCorrections } from '../read-models/deliveries/mend.ts';
import type { DeliveryOutcome } from '../read-models/deliveries/outcome.ts';
import type { PlannedBatch } from '../read-models/deliveries/plan.ts';
import type { RestoredDeliveries } from '../read-models/deliveries/restore.ts';

/**
 * The deliveries in MongoDB. A write resolves with majority write concern. On outage, writes retry until `stop` aborts,
 * reads until the store is closed.
 */
export type DeliveryStore = {
  /**
   * Makes this process the owner of the partition, so that plans of the former owner are refused. Returns the stored
   * position; null if nothing was planned. Must be called before `waiting`, which then misses no delivery.
   */
  readonly position: (partition: number) => Promise<WebhookPositionDocument | null>;
  /**
   * Stores missing deliveries, then moves the position. Rejects with `PartitionTaken` once another process took the
   * partition.
   * @returns ids that this plan stored; other deliveries keep their body
   */
  readonly plan: (plan: PlannedBatch, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  /** Stores ended deliveries that only the log has, and changes no others. Rejects with `PartitionTaken`. */
  readonly restore: (restored: RestoredDeliveries, stop: AbortSignal) => Promise<void>;
  /**
   * Corrects deliveries that differ from the log. Rejects with `PartitionTaken`.
   *
   * @returns ids of changed deliveries
   */
  readonly correct: (mend: DeliveryCorrections, stop: AbortSignal) => Promise<ReadonlySet<string>>;
  readonly stored: (partition: number, range: IdRange) => AsyncIterable<WebhookDeliveryDocument>;
  readonly deliveries: (ids: readonly string[]) => Promise<readonly WebhookDeliveryDocument[]>;
  /**
   * Stores an outcome.
   *
   * @returns false if another process stored an outcome first; the stored delivery is then unchanged
   */
  readonly record: (outcome: DeliveryOutcome, stop: AbortSignal) => Promise<boolean>;
  readonly waiting: (partition: number) => AsyncIterable<{ readonly endpoint_id: string; readonly due_at: number }>;
  /**
   * Reads deliveries in a window of due times. The window must be narrow, because some stores read all of it.
   *
   * @param from_position the part after the endpoint in `waiting`, or a prefix of it
   * @param due_before ms since the epoch, excluded
   */
  readonly due: (
    partition: number,
    endpoint_id: string,
    due_before: number,
    limit: number,
    from_position?: string,
  ) => Promise<readonly WebhookDeliveryDocument[]>;
  readonly delivery: (id: string) => Promise<WebhookDeliveryDocument | null>;
  readonly pendingOf: (render_id: string) => Promise<readonly WebhookDeliveryDocument[]>;
  /**
   * Deletes the endpoints' answers to deliveries of a render.
   *
   * @returns whether any existed
   */
  readonly dropAnswers: (render_id: string) => Promise<boolean>;
  /**
   * Partitions of which the store has less than this process stored: the store was restored or replaced. Rejects on
   * MongoDB outage.
   */
  readonly rolledBackPartitions: () => Promise<readonly number[]>;
};

export type EndpointDirectory = {
  /**
   * The endpoints of teams, including deleted ones. They reflect all catalogue events that were appended before the
   * call: it waits for the projector without limit. Rejects once `stop` aborts.
   */
  readonly ofTeams: (
    team_ids: readonly string[],
    stop: AbortSignal,
  ) => Promise<ReadonlyMap<string, readonly WebhookEndpoint[]>>;
  /**
   * An endpoint, even a deleted one. The answer is at most a second old, except during a MongoDB outage. Null if the
   * read model lacks the endpoint, which does not prove a deletion. Rejects if no state is known.
   */
  readonly endpoint: (id: string) => Promise<WebhookEndpoint | null>;
};

/** Names by render id; null for an erased render. Retries until all names are read; rejects once `stop` aborts. */
export type RenderNameLookup = (
  renders: readonly Pick<Render, 'id' | 'name'>[],
  stop: AbortSignal,
) => Promise<ReadonlyMap<string, string | null>>;

/**
 * The URLs of a render's outputs; null if it is not complete. Retries until the URLs are signed; rejects once `stop`
 * aborts.
 */
export type OutputUrlLookup = (render: Render, stop: AbortSignal) => Promise<Readonly<Record<string, string>> | null>;

export type DeliveryCause = { readonly causation_id: string; readonly correlation_id: string | null };

/** Appends to `webhook-events` before it changes the store, so that the log is always complete. */
export type Recorder = {
  readonly plan: (
    plan: PlannedBatch,
    causes: ReadonlyMap<string, DeliveryCause>,
    stop: AbortSignal,
  ) => Promise<ReadonlySet<string>>;
  /** Appends and stores an outcome. False if another process stored an outcome first, or `stop` aborted first. */
  readonly record: (delivery: WebhookDeliveryDocument, outcome: DeliveryOutcome, stop: AbortSignal) => Promise<boolean>;
};

export type EndpointQueues = {
  readonly take: (partition: number) => Promise<void>;
  readonly offer: (partition: number, deliveries: readonly WebhookDeliveryDocument[]) => void;
  readonly release: (partition: number) => void;
  readonly skipAllOf: (render_id: string) => void;
  /** Whether an attempt began in this process and its outcome is not stored yet. */
  readonly isUnderWay: (partition: number, endpoint_id: string, delivery_id: string) => boolean;
  /** The estimated number of waiting deliveries. The planner skips deliveries above a limit. */
  readonly backlog: (partition: number, endpoint_id: string) => number;
  /** From now on, no attempt begins. Running attempts get some seconds, then they are cut off. */
  readonly stop: () => Promise<void>;
};
