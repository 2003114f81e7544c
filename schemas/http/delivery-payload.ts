import type { EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { RenderResource } from './render-resource.ts';

/** The body of a webhook delivery. `timestamp` is in milliseconds since the epoch. */
export type DeliveryPayload = {
  /** `hook_…`, the same on every attempt. */
  readonly id: string;
  readonly event: EventKind;
  readonly data: RenderResource;
  readonly timestamp: number;
};
