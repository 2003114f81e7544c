import * as E from 'fp-ts/lib/Either.js';
import { sessionResource } from '../../schemas/http/management/session-resource.ts';
import type { SignedInHandler } from '../access/doors.ts';
import type { SessionsParts } from './parts.ts';

/** GET /manage/v1/sessions: all of them, the newest first; there are 20 at most. */
export const listSessions =
  ({ sessions, idle_ms, clock }: Pick<SessionsParts, 'sessions' | 'idle_ms' | 'clock'>): SignedInHandler =>
  async (_request, { session }) => {
    const now = clock.now();
    const found = await sessions.listOf(session.owner, now, now - idle_ms);
    return E.right({ status: 200, body: { data: found.map((one) => sessionResource(one, session.id)) } });
  };
