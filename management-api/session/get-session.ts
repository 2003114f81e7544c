import * as E from 'fp-ts/lib/Either.js';
import { currentSession } from '../../schemas/http/management/session-resource.ts';
import type { SignedInHandler } from '../access/route-guards.ts';

/** GET /manage/v1/session: who is signed in, and as what. */
export const getSession =
  (fresh_ms: number): SignedInHandler =>
  async (_request, who) =>
    E.right({ status: 200, body: currentSession(who, fresh_ms) });
