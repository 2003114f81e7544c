import * as E from 'fp-ts/lib/Either.js';
import type { Starters } from '../../catalogue/starters/starters.ts';
import { starterList } from '../../schemas/http/public/starters.ts';
import type { TeamHandler } from '../access/route-guards.ts';

export const listTeamStarters =
  ({ starters }: { readonly starters: Starters }): TeamHandler =>
  async () =>
    E.right({ status: 200, body: starterList(starters.values()) });
