import type { RenderRequested } from '../../domain/render/events.ts';
import type { Render, Transition } from '../../domain/render/render.ts';
import type { OrderBody } from './clients.ts';

/** A render as the log has it. Times are ms since the simulation began. */
export type Judged = {
  readonly render: Render;
  readonly partition: number;
  readonly requested_at: number;
  readonly ended_at: number | null;
};

/** The expected records of one partition of render-status, and how many of them are published. */
type Mirrored = {
  readonly accepted: {
    readonly source_offset: number;
    readonly render_id: string;
    readonly transition: Transition | null;
    readonly render: Render;
    readonly at: number;
  }[];
  published: number;
  last_source_offset: number;
};

type OwedDelivery = {
  readonly endpoint_id: string;
  readonly render_id: string;
  readonly seq: number;
  readonly at: number;
};

/** A request as a client sent it, at a time of the world. */
export type Posted = { readonly body: OrderBody; readonly at: number };

/** A request of the log with a seal. */
export type SealedRequest = { readonly event: RenderRequested; readonly is_accepted: boolean };

/** Everything that the judge has seen. */
export type Evidence = {
  readonly renders: Map<string, Judged>;
  readonly acknowledged: Set<string>;
  /** Renders that a client wants cancelled, and those whose cancellation the log has. */
  readonly cancel_requested: Set<string>;
  readonly cancel_recorded: Set<string>;
  /** Renders that somebody wants erased, and those whose erasure the log has. */
  readonly erase_requested: Set<string>;
  readonly erased: Set<string>;
  readonly erased_projects: Set<string>;
  /** Accounts and users whose erasure the log has. */
  readonly erased_accounts: Set<string>;
  readonly erased_users: Set<string>;
  /** By partition. */
  readonly mirrored: readonly Mirrored[];
  /** By delivery id. */
  readonly owed: Map<string, OwedDelivery>;
  /** Deliveries that an endpoint accepted. */
  readonly taken: Set<string>;
  /** By endpoint and render, the highest transition with a delivery attempt. */
  readonly dialled: Map<string, number>;
  /** Requests of clients, by correlation id. */
  readonly posted: Map<string, Posted>;
  /** By render id, the correlation id of the accepted request. */
  readonly accepted_as: Map<string, string>;
  /** Requests of the log with a seal, in its order. */
  readonly sealed: SealedRequest[];
  unfinished: number;
};

export const noEvidence = (partitions: number): Evidence => ({
  renders: new Map(),
  acknowledged: new Set(),
  cancel_requested: new Set(),
  cancel_recorded: new Set(),
  erase_requested: new Set(),
  erased: new Set(),
  erased_projects: new Set(),
  erased_accounts: new Set(),
  erased_users: new Set(),
  mirrored: Array.from({ length: partitions }, () => ({ accepted: [], published: 0, last_source_offset: -1 })),
  owed: new Map(),
  taken: new Set(),
  dialled: new Map(),
  posted: new Map(),
  accepted_as: new Map(),
  sealed: [],
  unfinished: 0,
});
