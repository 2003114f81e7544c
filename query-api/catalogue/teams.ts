import * as E from 'fp-ts/lib/Either.js';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { Team } from '../../schemas/http/public/teams.ts';
import { notFoundError } from '../absent.ts';

const headers = { 'Cache-Control': 'private, no-store' };

export const listTeams: AuthenticatedHandler = async (_request, { teams }) =>
  E.right({ status: 200, body: { data: [...teams.values()].map(Team.encode) }, headers });

export const getTeam: AuthenticatedHandler = async ({ params }, { teams }) => {
  const team = teams.get(params.id ?? '');
  return team === undefined ? notFoundError('team', 'id') : E.right({ status: 200, body: Team.encode(team), headers });
};
