import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueCommand } from '../domain/catalogue/commands.ts';
import type { WebhookEndpoint } from '../domain/webhooks/endpoint.ts';
import type { EventKind } from '../domain/webhooks/event-kinds.ts';
import type { SealSecret } from '../platform/secrets/sealed-secret.ts';
import { mintWebhookSecret } from '../platform/secrets/webhook-secret.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { type EndpointHistoryView, type EndpointView, endpointHistoryView, endpointView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead, changeCatalogue } from './change.ts';
import type { AddressCheck } from './endpoint-address.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { waitUntilEffective } from './in-force.ts';
import { findEntity } from './named-entity.ts';
import { teamById } from './teams.ts';

const endpointById = async (
  { read_model, clock }: CatalogueWriter,
  id: string,
): Promise<E.Either<CatalogueFault, EndpointView>> =>
  E.map((endpoint: WebhookEndpoint) => endpointView(endpoint, clock.now()))(
    await findEntity(read_model, 'webhook_endpoint', id),
  );

/**
 * Finds deleted endpoints too.
 *
 * @param now ms since the epoch
 */
export const endpointWithHistory = async (
  read_model: CatalogueReadModel,
  id: string,
  now: number,
): Promise<E.Either<CatalogueFault, EndpointHistoryView>> => {
  const endpoint = await findEntity(read_model, 'webhook_endpoint', id);
  if (E.isLeft(endpoint)) return endpoint;
  return E.right(endpointHistoryView(endpoint.right, await read_model.failing(id), now));
};

/**
 * Oldest first. An unknown team is a fault, not an empty list.
 *
 * @param team_id null for all teams
 * @param deleted whether to include deleted endpoints
 */
export const listEndpoints = async (
  read_model: CatalogueReadModel,
  team_id: string | null,
  deleted: boolean,
  now: number,
): Promise<E.Either<CatalogueFault, readonly EndpointView[]>> => {
  if (team_id !== null) {
    const team = await teamById(read_model, team_id);
    if (E.isLeft(team)) return team;
  }
  const found = await read_model.endpoints(team_id);
  return E.right(
    found
      .filter(({ deleted_at }) => deleted || deleted_at === null)
      .map((endpoint) => endpointView(endpoint, now))
      .toSorted((a, b) => a.created_at - b.created_at),
  );
};

/**
 * Oldest first.
 *
 * @param max_deleted how many deleted endpoints to include; those that were deleted last come first
 */
export const listEndpointsOfTeam = async (
  read_model: CatalogueReadModel,
  team_id: string,
  max_deleted: number,
  now: number,
): Promise<readonly EndpointView[]> => {
  const ids = (await read_model.find('team_webhooks', team_id))?.endpoint_ids ?? [];
  const active = await read_model.entities('webhook_endpoint', ids);
  const all = max_deleted === 0 ? [] : await read_model.endpoints(team_id);
  const deleted = all
    .filter(({ id, deleted_at }) => deleted_at !== null && !ids.includes(id))
    .toSorted((a, b) => (b.deleted_at ?? 0) - (a.deleted_at ?? 0))
    .slice(0, max_deleted);
  const shown = [...active, ...deleted].map((endpoint) => endpointView(endpoint, now));
  return shown.toSorted((a, b) => a.created_at - b.created_at);
};

/** `secret` is shown only once; null if the endpoint already existed. */
export type EndpointWithSecret = ChangeResult<EndpointView> & { readonly secret: string | null };

/**
 * Adds the secret to the fault `not_shown`: the event with the secret is in the log, and no later answer shows the
 * secret.
 */
const unseen =
  (endpoint_id: string, secret: string) =>
  (fault: CatalogueFault): CatalogueFault =>
    fault.tag === 'not_shown' ? { ...fault, secret: { endpoint_id, secret } } : fault;

export type NewEndpoint = {
  readonly team_id: string;
  readonly url: string;
  readonly events: readonly EventKind[];
  readonly id?: string;
};

export type CatalogueWriterWithSeal = CatalogueWriter & { readonly seal: SealSecret };

/**
 * Returns when the endpoint is in effect: later events are delivered, even if the clocks of the brokers differ a
 * little.
 */
export const createEndpoint = async (
  catalogue: CatalogueWriterWithSeal,
  checkAddress: AddressCheck,
  wanted: NewEndpoint,
): Promise<E.Either<CatalogueFault, EndpointWithSecret>> => {
  const { team_id, events, id = newId('whe') } = wanted;
  const address = await checkAddress(wanted.url);
  if (E.isLeft(address)) return E.left({ tag: 'address_refused', ...address.left });
  const secret = mintWebhookSecret();
  const endpoint = { endpoint_id: id, team_id, url: address.right, events, secret: await catalogue.seal(id, secret) };
  const created = await waitUntilEffective(
    catalogue,
    changeAndRead(catalogue, { type: 'CreateEndpoint', ...endpoint }, () => endpointById(catalogue, id)),
  );
  return E.bimap(unseen(id, secret), (answer: ChangeResult<EndpointView>) => ({
    ...answer,
    secret: answer.repeated === true ? null : secret,
  }))(created);
};

const changeEndpoint = (
  catalogue: CatalogueWriter,
  command: Extract<CatalogueCommand, { readonly endpoint_id: string }>,
): Promise<E.Either<CatalogueFault, ChangeResult<EndpointView>>> =>
  waitUntilEffective(
    catalogue,
    changeAndRead(catalogue, command, () => endpointById(catalogue, command.endpoint_id)),
  );

export const chooseEvents = (catalogue: CatalogueWriter, endpoint_id: string, events: readonly EventKind[]) =>
  changeEndpoint(catalogue, { type: 'ChooseEvents', endpoint_id, events });

/** `replaces` is the rotation in progress whose secret is discarded; null without one. */
export type RotatedEndpoint = EndpointWithSecret & { readonly replaces: EndpointView['rotation'] };

export const rotateSecret = async (
  catalogue: CatalogueWriterWithSeal,
  id: string,
): Promise<E.Either<CatalogueFault, RotatedEndpoint>> => {
  const secret = mintWebhookSecret();
  const sealed = await catalogue.seal(id, secret);
  const rotated = await changeCatalogue(catalogue, { type: 'RotateSecret', endpoint_id: id, secret: sealed });
  if (E.isLeft(rotated)) return E.mapLeft(unseen(id, secret))(rotated);
  const endpoint = await findEntity(catalogue.read_model, 'webhook_endpoint', id);
  if (E.isLeft(endpoint)) return endpoint;
  const { next_secret, secret: in_use } = endpoint.right;
  if (sealed !== next_secret?.sealed && sealed !== in_use) return E.left({ tag: 'secret_replaced', endpoint_id: id });
  const before = rotated.right.before('webhook_endpoint', id);
  const now = catalogue.clock.now();
  const replaces = before === null ? null : endpointView(before, now).rotation;
  return E.right({ ...endpointView(endpoint.right, now), secret, replaces });
};

/** Returns when no delivery is signed with the old secret. No effect without a rotation in progress. */
export const activateSecret = (catalogue: CatalogueWriter, endpoint_id: string) =>
  changeEndpoint(catalogue, { type: 'ActivateSecret', endpoint_id });

/** Returns when no further attempt starts; attempts in progress may end later. */
export const disableEndpoint = (catalogue: CatalogueWriter, endpoint_id: string) =>
  changeEndpoint(catalogue, { type: 'DisableEndpoint', endpoint_id });

/** Returns when the endpoint gets the deliveries of later events again. */
export const enableEndpoint = (catalogue: CatalogueWriter, endpoint_id: string) =>
  changeEndpoint(catalogue, { type: 'EnableEndpoint', endpoint_id });

export const deleteEndpoint = (catalogue: CatalogueWriter, endpoint_id: string) =>
  changeEndpoint(catalogue, { type: 'DeleteEndpoint', endpoint_id });
