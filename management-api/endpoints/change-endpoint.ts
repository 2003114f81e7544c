import * as E from 'fp-ts/lib/Either.js';
import type { EndpointView } from '../../catalogue/answers.ts';
import { catalogueError } from '../../catalogue/api-errors/catalogue-error.ts';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import {
  activateSecret,
  chooseEvents,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  rotateSecret,
} from '../../catalogue/endpoints.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { Shape } from '../../domain/shape/shape.ts';
import { Endpoint, EventsRequest } from '../../schemas/http/management/endpoints.ts';
import { EmptyBody } from '../../schemas/http/management/operation.ts';
import { catalogueWriterFor } from '../access/commands.ts';
import { decodeBody, readJsonObject } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { type EndpointRouteDependencies, endpointInTeam } from './parts.ts';

type Change<B> = (catalogue: CatalogueWriter, id: string, body: B) => Promise<E.Either<CatalogueFault, EndpointView>>;

const changing =
  <B>(shape: Shape<B>, change: Change<B>) =>
  (parts: EndpointRouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await decodeBody(request, shape);
    if (E.isLeft(body)) return body;
    const found = await endpointInTeam(parts, at, request.params.endpoint_id ?? '');
    if (E.isLeft(found)) return found;
    const changed = await change(catalogueWriterFor(parts, at.person), found.right.id, body.right);
    if (E.isLeft(changed)) return E.left(catalogueError(changed.left));
    const failing = await parts.read_model.failing(found.right.id);
    return E.right({ status: 200, body: Endpoint.encode({ ...changed.right, failing }) });
  };

export const chooseEndpointEvents = changing(EventsRequest, (catalogue, id, { events }) =>
  chooseEvents(catalogue, id, events),
);
export const disableTeamEndpoint = changing(EmptyBody, disableEndpoint);
export const enableTeamEndpoint = changing(EmptyBody, enableEndpoint);
export const activateEndpointSecret = changing(EmptyBody, activateSecret);
export const deleteTeamEndpoint = changing(EmptyBody, deleteEndpoint);

/** Starts the rotation of the secret. A second call during the rotation replaces the new secret again. */
export const rotateEndpointSecret =
  (parts: EndpointRouteDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const found = await endpointInTeam(parts, at, request.params.endpoint_id ?? '');
    if (E.isLeft(found)) return found;
    const { seal } = parts;
    if (E.isLeft(seal)) return E.left({ tag: 'conflict', message: `the service cannot create secrets: ${seal.left}` });
    const rotated = await rotateSecret({ ...catalogueWriterFor(parts, at.person), seal: seal.right }, found.right.id);
    if (E.isLeft(rotated)) return E.left(catalogueError(rotated.left));
    const { secret, replaces } = rotated.right;
    const endpoint = Endpoint.encode({ ...rotated.right, failing: await parts.read_model.failing(found.right.id) });
    return E.right({ status: 200, body: { ...endpoint, secret, replaces } });
  };
