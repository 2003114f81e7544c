import * as E from 'fp-ts/lib/Either.js';
import type { EndpointHistoryView } from '../../catalogue/answers.ts';
import type { AddressCheck } from '../../catalogue/endpoint-address.ts';
import { endpointWithHistory } from '../../catalogue/endpoints.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { SealSecret } from '../../platform/secrets/sealed-secret.ts';
import type { DeliveryLog } from '../../read-models/deliveries/delivery-log.ts';
import type { RouteDependencies } from '../access/commands.ts';
import { isPossibleId, type TeamAccess } from '../access/reach.ts';

export type EndpointRouteDependencies = RouteDependencies & {
  /** Encrypts secrets. Left: why this installation cannot encrypt them. */
  readonly seal: E.Either<string, SealSecret>;
  readonly checkAddress: AddressCheck;
  readonly deliveries: DeliveryLog;
  /** Whether people see the responses of endpoints. False if endpoints may have internal addresses. */
  readonly tells_answers: boolean;
};

export const NO_ENDPOINT: ApiError = {
  tag: 'not_found',
  param: 'endpoint_id',
  message: 'there is no such webhook endpoint',
};

/** Finds an endpoint of the team, even a deleted one. Endpoints of other teams are answered as missing. */
export const endpointInTeam = async (
  { read_model, clock }: Pick<RouteDependencies, 'read_model' | 'clock'>,
  { team }: TeamAccess,
  endpoint_id: string,
): Promise<E.Either<ApiError, EndpointHistoryView>> => {
  if (!isPossibleId(endpoint_id)) return E.left(NO_ENDPOINT);
  const found = await endpointWithHistory(read_model, endpoint_id, clock.now());
  return E.isRight(found) && found.right.team_id === team.id ? found : E.left(NO_ENDPOINT);
};
