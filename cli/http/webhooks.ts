import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { nullable } from '../../domain/event/nullable.ts';
import type { CliFault } from '../fault.ts';
import type { ApiClient, ApiResult } from './api-client.ts';
import { allPages, ask } from './requests.ts';

const Since = t.type({ since: t.number });

/** The members that renderctl shows. */
export const EndpointAnswer = t.type({
  ...{ id: t.string, team_id: t.string, url: t.string, events: t.readonlyArray(t.string), state: t.string },
  disabled: nullable(t.intersection([Since, t.type({ reason: t.string })])),
  rotation: nullable(t.intersection([Since, t.type({ until: t.number })])),
  deleted_at: nullable(t.number),
});
export type EndpointAnswer = t.TypeOf<typeof EndpointAnswer>;

const EndpointHistoryAnswer = t.intersection([
  EndpointAnswer,
  t.type({
    failing: nullable(t.intersection([Since, t.type({ exhausted: t.number })])),
    subscriptions: t.readonlyArray(t.intersection([Since, t.type({ events: t.readonlyArray(t.string) })])),
    disabled_periods: t.readonlyArray(t.type({ from: t.number, to: nullable(t.number), reason: t.string })),
  }),
]);
export type EndpointHistoryAnswer = t.TypeOf<typeof EndpointHistoryAnswer>;

/** `secret` is null in the answer to a repeat. */
const EndpointSecretAnswer = t.intersection([EndpointAnswer, t.type({ secret: nullable(t.string) })]);
export type EndpointSecretAnswer = t.TypeOf<typeof EndpointSecretAnswer>;

const RotatedEndpointAnswer = t.intersection([
  EndpointSecretAnswer,
  t.type({ replaces: nullable(t.intersection([Since, t.type({ until: t.number })])) }),
]);
export type RotatedEndpointAnswer = t.TypeOf<typeof RotatedEndpointAnswer>;

const Attempt = t.type({
  ...{ n: t.number, started_at: t.number, duration_ms: t.number, succeeded: t.boolean, status: nullable(t.number) },
  fault: nullable(t.type({ code: t.string, message: t.string })),
});

const AttemptWithResponse = t.intersection([Attempt, t.type({ response: nullable(t.string) })]);

const DeliverySummary = t.type({
  ...{ id: t.string, endpoint_id: t.string, render_id: t.string, seq: t.number, event: t.string, state: t.string },
  ...{ reason: nullable(t.string), repeats: nullable(t.string), repeated_by: nullable(t.string) },
  ...{ planned_at: t.number, next_attempt_at: nullable(t.number), ended_at: nullable(t.number) },
});

const ListedAnswer = t.intersection([
  DeliverySummary,
  t.type({ attempt_count: t.number, last_attempt: nullable(Attempt) }),
]);

/** A delivery in a list, with the number of its attempts. */
export type ListedDeliveryAnswer = t.TypeOf<typeof DeliverySummary> & {
  readonly attempts: number;
  readonly last_attempt: Omit<t.TypeOf<typeof Attempt>, 'n' | 'succeeded'> | null;
};

const DeliveryAnswer = t.intersection([DeliverySummary, t.type({ attempts: t.readonlyArray(AttemptWithResponse) })]);
export type DeliveryAnswer = t.TypeOf<typeof DeliveryAnswer>;

const RequestedAnswer = t.type({ delivery_id: t.string });

/** The endpoints of one team, as the person who is logged in sees them. */
export type TeamWebhooks = { readonly client: ApiClient; readonly team_id: string };

const teamPath = ({ team_id }: TeamWebhooks): string => `/manage/v1/teams/${encodeURIComponent(team_id)}`;
const endpointsPath = (team: TeamWebhooks): string => `${teamPath(team)}/endpoints`;
const endpointPath = (team: TeamWebhooks, id: string): string => `${endpointsPath(team)}/${encodeURIComponent(id)}`;
const deliveryPath = (team: TeamWebhooks, id: string): string =>
  `${teamPath(team)}/deliveries/${encodeURIComponent(id)}`;

const dataOf = <A>({ data }: { readonly data: readonly A[] }): readonly A[] => data;

/** @param deleted whether to include the endpoints that were deleted last */
export const listRemoteEndpoints = async (
  team: TeamWebhooks,
  deleted: boolean,
): ApiResult<readonly EndpointAnswer[]> => {
  const path = `${endpointsPath(team)}${deleted ? '?state=all' : ''}`;
  return E.map(dataOf<EndpointAnswer>)(
    await ask(team.client, t.type({ data: t.readonlyArray(EndpointAnswer) }), { path }),
  );
};

export const remoteEndpoint = (team: TeamWebhooks, id: string): ApiResult<EndpointHistoryAnswer> =>
  ask(team.client, EndpointHistoryAnswer, { path: endpointPath(team, id) });

export const createRemoteEndpoint = (
  team: TeamWebhooks,
  body: { readonly url: string; readonly events: readonly string[] },
): ApiResult<EndpointSecretAnswer> => {
  const headers = { 'Idempotency-Key': randomUUID() };
  return ask(team.client, EndpointSecretAnswer, { path: endpointsPath(team), body, headers });
};

export type EndpointChange = 'events' | 'activate-secret' | 'disable' | 'enable' | 'delete';

export const changeRemoteEndpoint = (
  team: TeamWebhooks,
  id: string,
  change: EndpointChange,
  body: object = {},
): ApiResult<EndpointAnswer> => ask(team.client, EndpointAnswer, { path: `${endpointPath(team, id)}/${change}`, body });

export const rotateRemoteSecret = (team: TeamWebhooks, id: string): ApiResult<RotatedEndpointAnswer> =>
  ask(team.client, RotatedEndpointAnswer, { path: `${endpointPath(team, id)}/rotate-secret`, body: {} });

const deliveryIdOf = ({ delivery_id }: t.TypeOf<typeof RequestedAnswer>): string => delivery_id;

/** A repeat after a lost answer sends a second test, which does no harm. */
export const testRemotely = async (team: TeamWebhooks, id: string, event: string | null): ApiResult<string> => {
  const body = event === null ? {} : { event };
  return E.map(deliveryIdOf)(await ask(team.client, RequestedAnswer, { path: `${endpointPath(team, id)}/test`, body }));
};

export const remoteDelivery = (team: TeamWebhooks, id: string): ApiResult<DeliveryAnswer> =>
  ask(team.client, DeliveryAnswer, { path: deliveryPath(team, id) });

export const repeatRemotely = async (team: TeamWebhooks, id: string): ApiResult<string> =>
  E.map(deliveryIdOf)(await ask(team.client, RequestedAnswer, { path: `${deliveryPath(team, id)}/again`, body: {} }));

type DeliveryFilter = { readonly state: string | null; readonly since: number | null; readonly limit: number };

const listedAnswer = ({ attempt_count, ...delivery }: t.TypeOf<typeof ListedAnswer>): ListedDeliveryAnswer => ({
  ...delivery,
  attempts: attempt_count,
});

/** The service answers with the newest 100 deliveries. Newest first. */
export const listRemoteDeliveriesOfRender = async (
  team: TeamWebhooks,
  render_id: string,
  { state, since, limit }: DeliveryFilter,
): ApiResult<readonly ListedDeliveryAnswer[]> => {
  const path = `${teamPath(team)}/renders/${encodeURIComponent(render_id)}/deliveries`;
  const found = await ask(team.client, t.type({ data: t.readonlyArray(ListedAnswer) }), { path });
  return E.map((answer: { readonly data: readonly t.TypeOf<typeof ListedAnswer>[] }) =>
    answer.data
      .filter((delivery) => (state === null || delivery.state === state) && delivery.planned_at >= (since ?? 0))
      .slice(0, limit)
      .map(listedAnswer),
  )(found);
};

/** Newest first. */
export const listRemoteDeliveries = async (
  team: TeamWebhooks,
  id: string,
  { state, since, limit }: DeliveryFilter,
): ApiResult<readonly ListedDeliveryAnswer[]> => {
  const query = { ...(state !== null && { state }), ...(since !== null && { since: String(since) }) };
  const found = await allPages(team.client, ListedAnswer, `${endpointPath(team, id)}/deliveries`, query, limit);
  return E.map((all: readonly t.TypeOf<typeof ListedAnswer>[]) => all.map(listedAnswer))(found);
};

const Repeated = t.type({ requested: t.number, repeated_before: t.number, go_on_since: nullable(t.number) });
type Repeated = t.TypeOf<typeof Repeated>;

/** Repeats the exhausted and skipped deliveries of one endpoint, in several requests if necessary. */
export const repeatManyRemotely = async (
  team: TeamWebhooks,
  id: string,
  since: number,
  on_progress: (requested: number) => void,
): ApiResult<{ readonly requested: number; readonly repeated_before: number }> => {
  let sum = { requested: 0, repeated_before: 0 };
  const path = `${endpointPath(team, id)}/deliver-again`;
  for (let from: number | null = since; from !== null; ) {
    const answer: E.Either<CliFault, Repeated> = await ask(team.client, Repeated, {
      path,
      body: { since: from },
    });
    if (E.isLeft(answer)) return answer;
    const { requested, repeated_before, go_on_since }: Repeated = answer.right;
    sum = { requested: sum.requested + requested, repeated_before: sum.repeated_before + repeated_before };
    on_progress(sum.requested);
    from = go_on_since;
  }
  return E.right(sum);
};
