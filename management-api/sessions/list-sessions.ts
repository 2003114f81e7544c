import * as E from 'fp-ts/lib/Either.js';
import { sessionResource } from '../../schemas/http/management/session-resource.ts';
import type { SignedInHandler } from '../access/route-guards.ts';
import { ownersOf, type SessionsParts } from './parts.ts';

/** GET /manage/v1/sessions: all of them, the newest first; an owner has 20 at most. */
export const listSessions =
  ({ sessions, idle_ms, clock }: Pick<SessionsParts, 'sessions' | 'idle_ms' | 'clock'>): SignedInHandler =>
  async (_request, { session }) => {
    const now = clock.now();
    const found = await Promise.all(ownersOf(session).map((owner) => sessions.listOf(owner, now, now - idle_ms)));
    const newest = found.flat().toSorted((a, b) => b.created_at - a.created_at);
    return E.right({ status: 200, body: { data: newest.map((one) => sessionResource(one, session.id)) } });
  };
