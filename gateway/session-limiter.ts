import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { bearerSessionToken } from '../schemas/http/bearer-session.ts';
import { sessionToken } from '../schemas/http/session-cookie.ts';
import type { QueuedWork } from './address-limits.ts';
import { PublicRequestLimiter } from './public-request-limiter.ts';

const MAX_SESSIONS = 10_000;
/** How long a session passes after the API accepted it. After its end, the API refuses the session. */
const ACCEPTED_MS = 600_000;

/** A hash of the session's token; null without a session. The gateway stores only these hashes. */
export const sessionFingerprint = ({
  cookie,
  authorization,
}: Pick<IncomingHttpHeaders, 'cookie' | 'authorization'>): string | null => {
  const token = sessionToken(cookie) ?? bearerSessionToken(authorization);
  return token === null ? null : hash('sha256', token, 'base64');
};

/**
 * Limits the requests of an address without an accepted session. Requests of accepted sessions pass, because many
 * people may share an address. The API limits each session.
 */
export class SessionLimiter {
  readonly #strangers: PublicRequestLimiter;
  readonly #accepted = new LRUCache<string, true>({ max: MAX_SESSIONS, ttl: ACCEPTED_MS });

  constructor(per_minute: number, now: () => number) {
    this.#strangers = new PublicRequestLimiter(per_minute, now);
  }

  get retry_after_s(): number {
    return this.#strangers.retry_after_s;
  }

  isAccepted(fingerprint: string | null): boolean {
    return fingerprint !== null && this.#accepted.has(fingerprint);
  }

  admit(address: string): boolean {
    return this.#strangers.admit(address);
  }

  queue<A>(address: string, work: () => Promise<A>, left: A): QueuedWork<A> {
    return this.#strangers.queue(address, work, left);
  }

  accept(fingerprint: string): void {
    this.#accepted.set(fingerprint, true);
  }

  refuse(fingerprint: string): void {
    this.#accepted.delete(fingerprint);
  }
}
