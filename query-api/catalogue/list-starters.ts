import * as E from 'fp-ts/lib/Either.js';
import type { Starters } from '../../catalogue/starters/starters.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import { starterList } from '../../schemas/http/public/starters.ts';

export const listStarters =
  (starters: Starters): AuthenticatedHandler =>
  async () =>
    E.right({
      status: 200,
      body: starterList(starters.values()),
      headers: { 'Cache-Control': 'private, no-store' },
    });
