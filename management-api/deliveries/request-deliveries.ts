import * as E from 'fp-ts/lib/Either.js';
import type { EndpointView } from '../../catalogue/answers.ts';
import { repeatDeliveryRequest, testDeliveryRequest } from '../../catalogue/delivery-requests.ts';
import type { DeliveryRequested } from '../../domain/webhooks/delivery-events.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { DeliveryWithoutBody } from '../../read-models/deliveries/delivery-log.ts';
import { SinceRequest, TestRequest } from '../../schemas/http/management/deliveries.ts';
import { catalogueWriterFor } from '../access/commands.ts';
import { decodeBody, readJsonObject } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type EndpointRouteDependencies, endpointInTeam } from '../endpoints/parts.ts';
import { deliveryInTeam } from './read-deliveries.ts';

const RETRY_AFTER_S = 5;
/** The maximum number of deliveries that one request repeats. The answer contains the time from which to continue. */
const MAX_REPEATED = 1_000;
/** The maximum number of deliveries that one request reads, because most may have been repeated already. */
const MAX_READ = 5_000;
const REPEATED_AT_ONCE = 200;

const conflict = (message: string): ApiError => ({ tag: 'conflict', message });

/** Null if the endpoint receives deliveries. */
const closedFault = ({ state }: Pick<EndpointView, 'state'>): ApiError | null => {
  if (state === 'deleted') return conflict('the endpoint was deleted: create a new one');
  return state === 'disabled' ? conflict('the endpoint is disabled: enable it first') : null;
};

/** Appends the request with the render's id as the key, so that one relay handles all deliveries of the render. */
const append = async (records: RecordLog, event: DeliveryRequested): Promise<ApiError | null> => {
  const appended = await records.append('webhook-events', event.render_id, event);
  if (E.isRight(appended)) return null;
  const message =
    appended.left.tag === 'outcome_unknown'
      ? 'the outcome is unknown: try again; a delivery is repeated only once'
      : 'the log does not answer; nothing was changed, try again';
  const code = appended.left.tag === 'outcome_unknown' ? 'outcome_unknown' : 'unavailable';
  return { tag: 'unavailable', code, message, retry_after_s: RETRY_AFTER_S };
};

export const testEndpoint =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await decodeBody(request, TestRequest);
    if (E.isLeft(body)) return body;
    const endpoint = await endpointInTeam(parts, at, request.params.endpoint_id ?? '');
    if (E.isLeft(endpoint)) return endpoint;
    const closed = closedFault(endpoint.right);
    if (closed !== null) return E.left(closed);
    const event = testDeliveryRequest(endpoint.right, body.right.event, catalogueWriterFor(parts, at.person));
    const fault = await append(parts.records, event);
    return fault === null ? E.right({ status: 202, body: { delivery_id: event.delivery_id } }) : E.left(fault);
  };

const isTest = ({ status_offset }: Pick<DeliveryWithoutBody, 'status_offset'>): boolean => status_offset === null;

/** POST …/{delivery_id}/again: repeats a delivery once, whatever its outcome, with the body that it would have now. */
export const deliverAgain =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const found = await deliveryInTeam(parts, at, request.params.delivery_id ?? '');
    if (E.isLeft(found)) return found;
    const { repeated_by, state, endpoint_id } = found.right;
    if (repeated_by !== null) return E.right({ status: 202, body: { delivery_id: repeated_by } });
    if (isTest(found.right)) return E.left(conflict('test deliveries cannot be repeated: send another test'));
    if (state === 'pending') return E.left(conflict('the delivery is still pending'));
    const endpoint = await endpointInTeam(parts, at, endpoint_id);
    if (E.isLeft(endpoint)) return endpoint;
    const closed = closedFault(endpoint.right);
    if (closed !== null) return E.left(closed);
    const event = repeatDeliveryRequest(found.right, catalogueWriterFor(parts, at.person));
    const fault = await append(parts.records, event);
    return fault === null ? E.right({ status: 202, body: { delivery_id: event.delivery_id } }) : E.left(fault);
  };

/** POST …/deliver-again: repeats up to 1,000 exhausted or skipped deliveries since a time, oldest first. */
export const deliverAllAgain =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async (request, at) => {
    const { deliveries, records, clock } = parts;
    const body = await decodeBody(request, SinceRequest);
    if (E.isLeft(body)) return body;
    const endpoint = await endpointInTeam(parts, at, request.params.endpoint_id ?? '');
    if (E.isLeft(endpoint)) return endpoint;
    const closed = closedFault(endpoint.right);
    if (closed !== null) return E.left(closed);
    const catalogue = catalogueWriterFor(parts, at.person);
    const wanted = { states: ['exhausted', 'skipped'], from: body.right.since, to: clock.now() } as const;
    let [read, requested, repeated_before] = [0, 0, 0];
    const pages = deliveries.pages({ endpoint_id: endpoint.right.id, ...wanted, limit: REPEATED_AT_ONCE });
    for await (const page of pages) {
      const repeatable = page.filter((one) => !isTest(one));
      const fresh = repeatable.filter(({ repeated_by }) => repeated_by === null);
      repeated_before += repeatable.length - fresh.length;
      const faults = await Promise.all(fresh.map((one) => append(records, repeatDeliveryRequest(one, catalogue))));
      const fault = faults.find((one) => one !== null);
      if (fault !== undefined) return E.left(fault);
      requested += fresh.length;
      read += page.length;
      const last = page.at(-1);
      if ((requested >= MAX_REPEATED || read >= MAX_READ) && last !== undefined)
        return E.right({ status: 202, body: { requested, repeated_before, go_on_since: last.planned_at } });
    }
    return E.right({ status: 202, body: { requested, repeated_before, go_on_since: null } });
  };
