import pLimit from 'p-limit';
import type { Render } from '../../domain/render/render.ts';
import { isEventKind } from '../../domain/webhooks/event-kinds.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { Render as RenderResource } from '../../schemas/http/public/renders.ts';
import type { DeliveryCause } from '../ports.ts';
import { type OwnedPartition, planningTime, storePlannedDeliveries } from './owned-partition.ts';
import type { PlanChangesDependencies } from './plan-changes.ts';
import { webhookEvents } from './position-from-log.ts';
import { renderResourceWithName } from './render-data.ts';
import { type DeliveryRequest, repeatLinkOf, requestedDelivery } from './requested-delivery.ts';
import { readStatusChange, type StatusChange } from './status-changes.ts';

const MAX_AT_ONCE = 100;
const READS_AT_ONCE = 8;

const causeOf = ({ requested: { meta } }: DeliveryRequest): DeliveryCause => ({
  causation_id: meta.event_id,
  correlation_id: meta.correlation_id,
});

const dataOf = async (
  parts: PlanChangesDependencies,
  render: Render,
  signal: AbortSignal,
): Promise<RenderResource | null> =>
  renderResourceWithName(
    parts.outputOf,
    render,
    (await parts.namesOf([render], signal)).get(render.id) ?? null,
    signal,
  );

const planTogether = async (
  parts: PlanChangesDependencies,
  owned: OwnedPartition,
  requests: readonly DeliveryRequest[],
  next_request: number,
): Promise<void> => {
  const { partition, signal } = owned;
  const teams = requests.map(({ requested }) => requested.team_id);
  const endpoints = await parts.directory.ofTeams(teams, signal);

  const plan = async (request: DeliveryRequest): Promise<WebhookDeliveryDocument> => {
    const { team_id, endpoint_id, status_offset } = request.requested;
    const endpoint = endpoints.get(team_id)?.find(({ id }) => id === endpoint_id);
    const change: StatusChange | null =
      status_offset === null || endpoint === undefined
        ? null
        : await readStatusChange(parts.records, partition, status_offset);
    const is_full = parts.queues.backlog(partition, endpoint_id) >= parts.max_waiting;
    const data = change === null ? null : await dataOf(parts, change.render, signal);
    return requestedDelivery(request, endpoint, change, data, planningTime(owned, parts.clock.now()), is_full);
  };

  const limit = pLimit(READS_AT_ONCE);
  const deliveries = await Promise.all(requests.map((request) => limit(plan, request)));
  const repeated = deliveries.flatMap(repeatLinkOf);
  const causes = new Map(requests.map((request) => [request.requested.delivery_id, causeOf(request)]));
  await storePlannedDeliveries(parts, owned, { deliveries, repeated, causes, next: { next_request } });
};

/**
 * Plans operators' requests since the last call. Rejects on outage or revocation; the next call continues from there.
 */
export const planRequests = async (
  parts: PlanChangesDependencies,
  owned: OwnedPartition,
  end: number,
): Promise<void> => {
  const { partition, signal } = owned;
  let requests: DeliveryRequest[] = [];
  const planAll = async (next_request: number): Promise<void> => {
    const wanted = requests;
    if (wanted.length > 0) await owned.apartFromErasures(() => planTogether(parts, owned, wanted, next_request));
    requests = [];
    owned.apply({ tag: 'requests_planned', next_request });
  };
  for await (const { offset, event } of webhookEvents(
    parts.records,
    partition,
    owned.state().position.next_request,
    end,
    signal,
  )) {
    if (event.type !== 'DeliveryRequested' || !isEventKind(event.event)) continue;
    requests.push({ partition, offset, requested: event, event: event.event });
    if (requests.length >= MAX_AT_ONCE) await planAll(offset + 1);
  }
  signal.throwIfAborted();
  await planAll(end);
};
