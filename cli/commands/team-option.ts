import { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import type { CliFault } from '../fault.ts';
import type { ApiClient } from '../http/api-client.ts';
import { teamOfCommand } from '../http/me.ts';
import type { SessionService } from '../http/session-service.ts';

export type TeamOption = { team?: string };

export const teamOption = (): Option => new Option('--team <team>', 'with a log-in: the team (default: your team)');

/** Uses the team of the command, as the person who is logged in. */
export const inTeam =
  <A>(
    given: string | undefined,
    use: (at: { readonly client: ApiClient; readonly team_id: string }) => Promise<E.Either<CliFault, A>>,
  ) =>
  async (session: SessionService): Promise<E.Either<CliFault, A>> => {
    const team_id = await teamOfCommand(session, given);
    return E.isLeft(team_id) ? team_id : await use({ client: session.client, team_id: team_id.right });
  };
