import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { RenderEvent } from '../../../domain/render/events.ts';
import type { WebhookEvent } from '../../../domain/webhooks/delivery-events.ts';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import type { Stack } from '../../../stack/launcher.ts';
import type { ServerName } from '../../../stack/servers/servers.ts';
import {
  type HttpsReceiver,
  type ReceiverBehavior,
  startHttpsReceiver,
} from '../../../stack/testing/https-receiver.ts';
import { openStackClients, type StackClients } from '../../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import {
  type CreatedEndpoint,
  type WebhookEndpoints,
  webhookEndpoints,
} from '../../../stack/testing/webhook-endpoints.ts';
import { localCertificate } from '../../../stack/tls/kept-certificates.ts';
import { assigned, completed, failed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

/** Projectors and the relay as processes, on real servers, and receivers with real TLS. */
export type RelayWorld = {
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly endpoints: WebhookEndpoints;
  readonly receiver: HttpsReceiver;
  readonly anotherReceiver: (answer?: ReceiverBehavior) => Promise<HttpsReceiver>;
  readonly stop: () => Promise<void>;
};

export const startRelayWorld = async (
  env: Readonly<Record<string, string>> = {},
  components: readonly string[] = ['projectors', 'webhook-relay'],
  own_servers: readonly ServerName[] = [],
): Promise<RelayWorld> => {
  const folder = await mkdtemp(join(tmpdir(), 'relay '));
  const stack = await startTestStack({ own_servers, dataDir: folder, components, env });
  const clients = await openStackClients(stack.env);
  const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  const receivers: HttpsReceiver[] = [];
  const anotherReceiver = async (answer?: ReceiverBehavior): Promise<HttpsReceiver> => {
    const started = await startHttpsReceiver({ certificate, ...(answer === undefined ? {} : { answer }) });
    receivers.push(started);
    return started;
  };
  const receiver = await anotherReceiver();
  const endpoints = webhookEndpoints(clients.records, stack.env);
  const stop = async (): Promise<void> => {
    await clients.close();
    await stack.stop();
    await Promise.all(receivers.map((one) => one.close()));
    await rm(folder, { recursive: true, force: true });
  };
  return { stack, clients, endpoints, receiver, anotherReceiver, stop };
};

export const teamWithEndpoint = async (
  { endpoints, receiver }: Pick<RelayWorld, 'endpoints' | 'receiver'>,
  answer?: ReceiverBehavior,
  events?: CreatedEndpoint['events'],
): Promise<CreatedEndpoint & { readonly path: string }> => {
  const team_id = `team_${ulid()}`;
  const path = `/${team_id}`;
  if (answer !== undefined) receiver.answer(path, answer);
  await endpoints.makeTeams([team_id]);
  const made = await endpoints.make({ team_id, url: `${receiver.origin}${path}`, ...(events && { events }) });
  return { ...made, path };
};

/** A render that completes: seven deliveries to an endpoint with all subscriptions. */
export const STATUSES = ['initializing', 'ready', 'queued', 'processing', 'finalizing', 'complete'] as const;

export const WHOLE_LIFE: readonly RenderEvent[] = [
  requested(),
  prepared,
  assigned('att_1', 1),
  progressed('att_1'),
  finished('att_1'),
  completed('att_1'),
];
export const FAILING_LIFE: readonly RenderEvent[] = [requested(), failed('preparer:prep_1', null)];

export const live = async (
  { records }: StackClients,
  team_id: string,
  events: readonly RenderEvent[] = WHOLE_LIFE,
  render_id = `rend_${ulid()}`,
): Promise<string> => {
  for (const event of events) {
    const own = event.type === 'RenderRequested' ? { ...event, render_id, team_id } : { ...event, render_id };
    const appended = await records.append('render-events', render_id, own);
    if (E.isLeft(appended)) throw new Error(appended.left.message);
  }
  return render_id;
};

/** A second implementation, because a change of the ids must fail a test. */
export const deliveryIdOf = (endpoint_id: string, render_id: string, seq: number, event: string): string =>
  `hook_${createHash('sha256')
    .update(JSON.stringify([endpoint_id, render_id, seq, event]))
    .digest('hex')
    .slice(0, 32)}`;

export const owedOf = (
  { id, events }: Pick<CreatedEndpoint, 'id' | 'events'>,
  render_id: string,
  life: readonly RenderEvent[] = WHOLE_LIFE,
): readonly string[] =>
  life.flatMap(({ type }, index) => {
    const more = type === 'RenderCompleted' ? ['render.complete'] : type === 'RenderFailed' ? ['render.failed'] : [];
    return ['render.status_changed', ...more]
      .filter((event) => events.some((one) => one === event))
      .map((event) => deliveryIdOf(id, render_id, index + 1, event));
  });

export const deliveries = ({ store }: StackClients) =>
  store.db.collection<WebhookDeliveryDocument>(COLLECTIONS.webhook_deliveries);

export const untilDelivery = (
  clients: StackClients,
  id: string,
  what: string,
  is_wanted: (delivery: WebhookDeliveryDocument) => boolean,
  bound_ms?: number,
): Promise<WebhookDeliveryDocument> =>
  pollUntil(
    `delivery ${id} ${what}`,
    async () => {
      const found = await deliveries(clients).findOne({ _id: id });
      return found !== null && is_wanted(found) ? found : null;
    },
    bound_ms,
  );

export const untilEnded = (clients: StackClients, id: string, bound_ms?: number): Promise<WebhookDeliveryDocument> =>
  untilDelivery(clients, id, 'has ended', ({ state }) => state !== 'pending', bound_ms);

export const webhookEvents = async ({ records }: StackClients): Promise<readonly WebhookEvent[]> => {
  const events: WebhookEvent[] = [];
  for (const { partition, start, end } of await records.log.bounds('webhook-events'))
    for await (const { value } of records.log.replay('webhook-events', partition, start, end)) {
      const decoded = await records.decode(value);
      if (decoded.tag === 'record' && 'delivery_id' in decoded.record) events.push(decoded.record);
    }
  return events;
};
