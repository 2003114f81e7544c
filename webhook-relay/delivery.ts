import { createHash } from 'node:crypto';
import type { Render, Transition } from '../domain/render/render.ts';
import { type RenderResource, renderResource } from '../schemas/http/render-resource.ts';
import type { Endpoint } from './endpoint.ts';
import { type EventKind, eventsOf } from './event-kinds.ts';
import { signatureOf } from './signature.ts';

/** One message to one endpoint: the same id, bytes and timestamp on every attempt. */
export type Delivery = {
  readonly id: string;
  readonly event: EventKind;
  readonly render_id: string;
  readonly seq: number;
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
};

/** The body of a delivery. `timestamp` is in milliseconds since the epoch. */
export type Payload = {
  readonly id: string;
  readonly event: EventKind;
  readonly data: RenderResource;
  readonly timestamp: number;
};

/** `hook_` and 32 hex digits that follow from what the delivery is about: a repeat is the same delivery. */
export const deliveryId = (url: string, render_id: string, seq: number, event: EventKind): string =>
  `hook_${createHash('sha256')
    .update(JSON.stringify([url, render_id, seq, event]))
    .digest('hex')
    .slice(0, 32)}`;

const delivery = (
  endpoint: Endpoint,
  event: EventKind,
  render: Render,
  seq: number,
  output: Readonly<Record<string, string>> | null,
  timestamp: number,
): Delivery => {
  const id = deliveryId(endpoint.url, render.id, seq, event);
  const payload: Payload = { id, event, data: renderResource(render, output), timestamp };
  const body = Buffer.from(JSON.stringify(payload), 'utf8');
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Webhook-ID': id,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': signatureOf(body, endpoint.secret),
  };
  return { id, event, render_id: render.id, seq, url: endpoint.url, body, headers };
};

/**
 * What one transition owes the endpoint: one delivery for each event that it subscribed to.
 *
 * @param render the render as it was at that transition
 * @param output signed URLs by variant; null unless the render is complete
 * @param timestamp when the bodies are made, ms since the epoch
 */
export const deliveriesOf = (
  endpoint: Endpoint,
  render: Render,
  transition: Transition,
  output: Readonly<Record<string, string>> | null,
  timestamp: number,
): readonly Delivery[] =>
  eventsOf(transition)
    .filter((event) => endpoint.events.includes(event))
    .map((event) => delivery(endpoint, event, render, transition.seq, output, timestamp));
