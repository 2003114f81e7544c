import * as E from 'fp-ts/lib/Either.js';
import type { EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { Seal } from '../../platform/secrets/sealed-secret.ts';
import { mintWebhookSecret } from '../../platform/secrets/webhook-secret.ts';
import type { WebhookEndpointDocument } from '../../read-models/catalogue/documents.ts';
import type { CliFault } from '../fault.ts';
import { type EndpointAnswer, type EndpointHistoryAnswer, endpointAnswer, endpointHistoryAnswer } from './answers.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { type After, type Catalogue, changeCatalogue, changed } from './change.ts';
import { metaOf, newId } from './identity.ts';
import { untilInForce } from './in-force.ts';
import { teamById } from './teams.ts';
import type { AddressCheck } from './webhook-address.ts';

const stored = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, WebhookEndpointDocument>> => {
  const endpoint = await view.webhook_endpoints.findOne({ _id: id });
  return endpoint === null
    ? E.left({ tag: 'not_found', what: 'webhook endpoint', id, list: 'renderctl webhook list' })
    : E.right(endpoint);
};

const endpointById = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, EndpointAnswer>> =>
  E.map((endpoint: WebhookEndpointDocument) => endpointAnswer(endpoint, Date.now()))(await stored(view, id));

/** Deleted ones too. */
export const endpointWithHistory = async (
  view: CatalogueView,
  id: string,
): Promise<E.Either<CliFault, EndpointHistoryAnswer>> => {
  const endpoint = await stored(view, id);
  if (E.isLeft(endpoint)) return endpoint;
  return E.right(endpointHistoryAnswer(endpoint.right, await view.webhook_health.findOne({ _id: id }), Date.now()));
};

/**
 * Endpoints, oldest first. An unknown team is a fault, not an empty list.
 *
 * @param team_id null for those of all teams
 * @param deleted whether those that were deleted are listed, too
 */
export const listEndpoints = async (
  view: CatalogueView,
  team_id: string | null,
  deleted: boolean,
): Promise<E.Either<CliFault, readonly EndpointAnswer[]>> => {
  if (team_id !== null) {
    const team = await teamById(view, team_id);
    if (E.isLeft(team)) return team;
  }
  const now = Date.now();
  const found = await view.webhook_endpoints.find(team_id === null ? {} : { team_id }).toArray();
  return E.right(
    found
      .filter(({ deleted_at }) => deleted || deleted_at === null)
      .map((endpoint) => endpointAnswer(endpoint, now))
      .toSorted((a, b) => a.created_at - b.created_at),
  );
};

/** `secret` is shown this once; null where the endpoint had been made before. */
export type EndpointWithSecret = After<EndpointAnswer> & { readonly secret: string | null };

/** The secret is in the log, or may be, and would be lost if it were not shown now. */
const unseen =
  (endpoint_id: string, secret: string) =>
  (fault: CliFault): CliFault =>
    fault.tag === 'not_shown' ? { ...fault, secret: { endpoint_id, secret } } : fault;

const sameEvents = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).size === new Set(b).size && a.every((event) => b.includes(event));

export type NewEndpoint = {
  readonly team_id: string;
  readonly url: string;
  readonly events: readonly EventKind[];
  readonly id?: string;
};

/** A catalogue in which secrets can be put. */
export type SealingCatalogue = Catalogue & { readonly seal: Seal };

/**
 * Returns when it is in force: whatever happens from then on is delivered, also where the clocks of the log's brokers
 * are not quite the same.
 */
export const createEndpoint = async (
  catalogue: SealingCatalogue,
  checkAddress: AddressCheck,
  wanted: NewEndpoint,
): Promise<E.Either<CliFault, EndpointWithSecret>> => {
  const { team_id, events, id = newId('whe') } = wanted;
  const checked = await checkAddress(wanted.url);
  if (E.isLeft(checked)) return E.left({ tag: 'refused', reason: 'address_refused', message: checked.left });
  const url = checked.right;
  const secret = mintWebhookSecret();
  const created = await untilInForce(
    changed(
      catalogue,
      {
        type: 'WebhookEndpointCreated',
        meta: metaOf(catalogue.actor),
        endpoint_id: id,
        team_id,
        url,
        events: [...events],
        secret: await catalogue.seal(id, secret),
      },
      (view) => endpointById(view, id),
      (endpoint) =>
        endpoint.team_id === team_id &&
        endpoint.url === url &&
        endpoint.state !== 'deleted' &&
        sameEvents(endpoint.events, events),
    ),
  );
  if (E.isLeft(created)) return E.mapLeft(unseen(id, secret))(created);
  return E.right({ ...created.right, secret: created.right.repeated === true ? null : secret });
};

/** Returns when it is in force. */
export const chooseEvents = async (catalogue: Catalogue, id: string, events: readonly EventKind[]) =>
  untilInForce(
    changed(
      catalogue,
      { type: 'WebhookEventsChosen', meta: metaOf(catalogue.actor), endpoint_id: id, events: [...events] },
      (view) => endpointById(view, id),
      (endpoint) => endpoint.state !== 'deleted' && sameEvents(endpoint.events, events),
    ),
  );

/** `replaces`: a rotation that was under way, whose new secret was shown before and counts no more; else null. */
export type RotatedEndpoint = EndpointWithSecret & { readonly replaces: EndpointAnswer['rotation'] };

/** Begins a rotation. One that is under way begins anew, with another secret. */
export const rotateSecret = async (
  catalogue: SealingCatalogue,
  id: string,
): Promise<E.Either<CliFault, RotatedEndpoint>> => {
  const before = await endpointById(await catalogueView(catalogue.db), id);
  if (E.isLeft(before)) return before;
  const secret = mintWebhookSecret();
  const rotated = await changeCatalogue(catalogue, {
    type: 'WebhookSecretRotated',
    meta: metaOf(catalogue.actor),
    endpoint_id: id,
    secret: await catalogue.seal(id, secret),
  });
  if (E.isLeft(rotated)) return E.mapLeft(unseen(id, secret))(rotated);
  const endpoint = await endpointById(rotated.right.view, id);
  return E.isLeft(endpoint) ? endpoint : E.right({ ...endpoint.right, secret, replaces: before.right.rotation });
};

/** Returns when the old secret signs nothing any more. Where no rotation is under way, nothing changes. */
export const activateSecret = async (
  catalogue: Catalogue,
  id: string,
): Promise<E.Either<CliFault, After<EndpointAnswer>>> => {
  const endpoint = await stored(await catalogueView(catalogue.db), id);
  if (E.isLeft(endpoint)) return endpoint;
  const { next_secret, secret } = endpoint.right;
  return untilInForce(
    changed(
      catalogue,
      {
        type: 'WebhookSecretActivated',
        meta: metaOf(catalogue.actor),
        endpoint_id: id,
        secret: next_secret?.sealed ?? secret,
      },
      (view) => endpointById(view, id),
      ({ rotation, state }) => rotation === null && state !== 'deleted',
    ),
  );
};

/** Returns when nothing is sent there any more, but for attempts that are under way. */
export const disableEndpoint = async (catalogue: Catalogue, id: string) =>
  untilInForce(
    changed(
      catalogue,
      {
        type: 'WebhookEndpointDisabled',
        meta: metaOf(catalogue.actor),
        endpoint_id: id,
        reason: 'by_hand',
        enabled_since: null,
      },
      (view) => endpointById(view, id),
      ({ state }) => state === 'disabled',
    ),
  );

/** Returns when it is in force: what happens from then on is delivered. */
export const enableEndpoint = async (catalogue: Catalogue, id: string) =>
  untilInForce(
    changed(
      catalogue,
      { type: 'WebhookEndpointEnabled', meta: metaOf(catalogue.actor), endpoint_id: id },
      (view) => endpointById(view, id),
      ({ state }) => state === 'enabled',
    ),
  );

/** Returns when nothing is sent there any more, but for attempts that are under way. */
export const deleteEndpoint = async (
  catalogue: Catalogue,
  id: string,
): Promise<E.Either<CliFault, After<EndpointAnswer>>> => {
  const endpoint = await endpointById(await catalogueView(catalogue.db), id);
  if (E.isLeft(endpoint)) return endpoint;
  const { team_id } = endpoint.right;
  return untilInForce(
    changed(
      catalogue,
      { type: 'WebhookEndpointDeleted', meta: metaOf(catalogue.actor), endpoint_id: id, team_id },
      (view) => endpointById(view, id),
      ({ state }) => state === 'deleted',
    ),
  );
};
