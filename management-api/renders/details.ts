import * as E from 'fp-ts/lib/Either.js';
import { deliveryView } from '../../catalogue/delivery-answers.ts';
import type { PayloadRef } from '../../domain/event/payload.ts';
import { SEALED_REQUEST } from '../../domain/render/events.ts';
import { FOLD_VERSION } from '../../domain/render/fold.ts';
import type { Render } from '../../domain/render/render.ts';
import { type BlobStore, isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import { sealedRequest } from '../../platform/seals/sealed-request.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';
import type { Renders, VisibleRender } from '../../read-models/renders/renders.ts';
import { RequestPayload } from '../../schemas/blobs/payloads.ts';
import type { RouteDependencies } from '../access/commands.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { listedDelivery } from '../deliveries/shown-delivery.ts';
import { NO_RENDER, renderInTeam } from './render-in-team.ts';
import { loggedEvent } from './shown-render.ts';

export type RenderDetailDependencies = Pick<RouteDependencies, 'read_model'> & {
  readonly renders: Pick<Renders, 'find'>;
  readonly blobs: Pick<BlobStore, 'getPayload'>;
  readonly seals: SealOpener;
  readonly deliveries: Pick<DeliveryLog, 'ofRender'>;
  readonly tells_answers: boolean;
};

const MAX_DELIVERIES = 100;
/**
 * Only the deliveries of this many endpoints are listed. A team has at most 20 active endpoints but unlimited deleted
 * ones, and each adds ids to the query.
 */
const MAX_ENDPOINTS = 100;

export const listRenderEvents =
  ({ renders }: RenderDetailDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const found = await renderInTeam(renders, team.id, params.render_id ?? '');
    if (found === null) return E.left(NO_RENDER);
    const data = found.facts.map((stored) => loggedEvent(stored, found.partition));
    return E.right({ status: 200, body: { data, ignored_count: found.ignored_count } });
  };

/** When the endpoint was deleted, in ms since the epoch. An active endpoint gets a value after all others. */
const deletedAt = ({ deleted_at }: { readonly deleted_at: number | null }): number => deleted_at ?? Number.MAX_VALUE;

export const listRenderDeliveries =
  ({ renders, read_model, deliveries, tells_answers }: RenderDetailDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const found = await renderInTeam(renders, team.id, params.render_id ?? '');
    if (found === null) return E.left(NO_RENDER);
    const { id: render_id, created_at, seq: last_seq } = found.render;
    const endpoints = await read_model.endpoints(team.id);
    // Endpoints that were deleted before the render got no deliveries.
    const newestEndpoints = endpoints
      .filter(({ deleted_at }) => deleted_at === null || deleted_at >= created_at)
      .toSorted((a, b) => deletedAt(b) - deletedAt(a))
      .slice(0, MAX_ENDPOINTS);
    const render = { render_id, endpoint_ids: newestEndpoints.map(({ id }) => id), last_seq };
    const listed = await deliveries.ofRender(render, { state: null, since: null, limit: MAX_DELIVERIES });
    const data = listed.map((one) => listedDelivery(deliveryView(one), tells_answers));
    return E.right({ status: 200, body: { data } });
  };

const UNAVAILABLE: ApiError = {
  tag: 'unavailable',
  message: 'the blob store is unavailable; try again',
  retry_after_s: 5,
};

type RenderInput = { readonly values: RequestPayload['values'] | null; readonly draft: boolean };

const UNREADABLE: RenderInput = { values: null, draft: false };

const inputInPayload = async ({ blobs }: RenderDetailDependencies, request: PayloadRef): Promise<RenderInput> => {
  const payload = RequestPayload.decode(JSON.parse((await blobs.getPayload(request)).toString()));
  if (E.isLeft(payload)) return UNREADABLE;
  const { values, draft = false } = payload.right;
  return { values, draft };
};

const inputInSeal = async (
  { seals }: RenderDetailDependencies,
  facts: VisibleRender['facts'],
): Promise<RenderInput> => {
  const sealed = facts.flatMap((stored) =>
    stored.verdict === 'accepted' && stored.fact.type === 'RenderRequested' ? (sealedRequest(stored.fact) ?? []) : [],
  )[0];
  const opening = sealed === undefined ? null : await seals.open(sealed);
  if (opening?.state !== 'open') return UNREADABLE;
  const { values = {}, draft = false } = opening.text;
  return { values, draft };
};

/** The values are null if they were erased or cannot be read. */
const inputOf = async (
  deps: RenderDetailDependencies,
  { render, facts }: { readonly render: Render; readonly facts: VisibleRender['facts'] },
): Promise<E.Either<ApiError, RenderInput>> => {
  const { request, fold_version } = render;
  // An unknown version may keep its values elsewhere.
  if (fold_version > FOLD_VERSION) return E.right(UNREADABLE);
  if (request === null) return E.right({ values: {}, draft: false });
  try {
    return E.right(
      request.path === SEALED_REQUEST.path ? await inputInSeal(deps, facts) : await inputInPayload(deps, request),
    );
  } catch (fault) {
    return isBlobStoreUnavailable(fault) ? E.left(UNAVAILABLE) : E.right(UNREADABLE);
  }
};

export const getRenderRequest =
  (deps: RenderDetailDependencies): TeamHandler =>
  async ({ params }, { team }) => {
    const found = await renderInTeam(deps.renders, team.id, params.render_id ?? '');
    if (found === null) return E.left(NO_RENDER);
    const { name, project_id, template_id } = found.render;
    const input = await inputOf(deps, found);
    return E.isLeft(input) ? input : E.right({ status: 200, body: { name, project_id, template_id, ...input.right } });
  };
