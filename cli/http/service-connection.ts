import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import { cliFault } from '../catalogue/catalogue-fault.ts';
import type { CliFault } from '../fault.ts';
import { type RenderApi, renderApi } from '../render/render-api.ts';
import { teamRenderApi } from '../render/team-render-api.ts';
import type { StackFile } from '../stack-file.ts';
import { type ApiClient, createApiClient, type ServiceAddress } from './api-client.ts';
import { chooseService, type ServiceChoice, type SessionAddress } from './choose-service.ts';
import { logInPath, readLogIn } from './log-in-file.ts';
import { projectClient } from './project-client.ts';
import { commandRetrier, withRetries } from './retry.ts';
import type { SessionService } from './session-service.ts';

type Using<S> = <A>(
  use: (service: S) => Promise<E.Either<CliFault | CatalogueFault, A>>,
) => Promise<E.Either<CliFault, A>>;

export type ServiceConnection = {
  /**
   * Sends each request once.
   *
   * @param team the team of the command's option, for a person
   */
  readonly api: <A>(
    use: (api: RenderApi) => Promise<E.Either<CliFault, A>>,
    team?: string,
  ) => Promise<E.Either<CliFault, A>>;
  /** Retries requests while the service is busy or unavailable. */
  readonly service: Using<ApiClient>;
  /** Whether commands that work over the API and on the servers use the API. */
  readonly isRemote: () => Promise<E.Either<CliFault, boolean>>;
  /** Like `service`, for requests of the person who is logged in. */
  readonly session: Using<SessionService>;
  /** The address of the service that commands use instead of the servers; null if they use the servers. */
  readonly remoteUrl: () => Promise<string | null>;
  readonly log_in_file: string;
};

type PersonAddress = Omit<SessionAddress, 'team_id'>;

/** Sends each request once. */
const clientAt = (address: ServiceAddress | PersonAddress, stop: AbortSignal): ApiClient =>
  createApiClient(
    'token' in address ? { base_url: address.base_url, api_key: address.token, key_from: 'session' } : address,
    stop,
  );

/** Retries requests while the service is busy or unavailable. */
const retryingClientAt = (address: ServiceAddress | PersonAddress, stop: AbortSignal): ApiClient =>
  withRetries(clientAt(address, stop), commandRetrier(stop));

export const sessionClient: (address: PersonAddress, stop: AbortSignal) => ApiClient = retryingClientAt;

/** A person who reaches only the API gets advice that works there. */
const adviseRemotely = (fault: CliFault): CliFault =>
  fault.tag === 'render_failed' ? { ...fault, is_remote: true } : fault;

export const serviceConnection = (
  env: NodeJS.ProcessEnv,
  stack: () => Promise<E.Either<CliFault, StackFile>>,
  stop: AbortSignal,
): ServiceConnection => {
  const log_in_file = logInPath(env);
  const choice = async (): Promise<E.Either<CliFault, ServiceChoice>> => {
    const log_in = await readLogIn(log_in_file);
    return E.isLeft(log_in) ? log_in : E.right(chooseService({ env, stack: await stack(), log_in: log_in.right }));
  };
  return {
    api: async (use, team) => {
      const chosen = await choice();
      const address = E.isLeft(chosen) ? chosen : chosen.right.address;
      if (E.isLeft(address)) return address;
      const client = clientAt(address.right, stop);
      const api =
        'token' in address.right
          ? teamRenderApi({ client, team_id: team ?? address.right.team_id })
          : renderApi(client);
      const result = await use(api);
      return E.isRight(chosen) && chosen.right.is_remote ? E.mapLeft(adviseRemotely)(result) : result;
    },
    service: async (use) => {
      const chosen = await choice();
      const address = E.isLeft(chosen) ? chosen : chosen.right.address;
      if (E.isLeft(address)) return address;
      const client = retryingClientAt(address.right, stop);
      const { right: at } = address;
      return E.mapLeft(cliFault)(await use('token' in at ? projectClient({ client, team_id: at.team_id }) : client));
    },
    isRemote: async () => E.map(({ is_remote }: ServiceChoice) => is_remote)(await choice()),
    session: async (use) => {
      const chosen = await choice();
      const found = E.isLeft(chosen) ? chosen : chosen.right.session;
      if (E.isLeft(found)) return found;
      const { team_id } = found.right;
      return E.mapLeft(cliFault)(await use({ client: sessionClient(found.right, stop), team_id }));
    },
    remoteUrl: async () => {
      const chosen = await choice();
      if (E.isLeft(chosen) || !chosen.right.is_remote) return null;
      const { address, session } = chosen.right;
      if (E.isRight(address)) return address.right.base_url;
      return E.isRight(session) ? session.right.base_url : null;
    },
    log_in_file,
  };
};
