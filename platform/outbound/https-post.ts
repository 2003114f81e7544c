import { setImmediate } from 'node:timers/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { checkedAddresses, resolverFor } from './checked-addresses.ts';
import { STOPPED } from './connection-faults.ts';
import { openConnector } from './connector.ts';
import { type Ended, exchange } from './exchange.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { checkUrl } from './outbound-url.ts';
import type { PostFault, PostRequest, PostResult } from './post-result.ts';

/** Requests to the outside, under the rules. */
export type Outbound = {
  /** One POST, no redirect followed, nothing repeated. Never rejects. */
  readonly post: (request: PostRequest) => Promise<PostResult>;
  /** Cuts off what is under way (`stopped`), and closes every connection. */
  readonly close: () => Promise<void>;
};

export type OutboundLimits = {
  /** Origins whose connections are kept; beyond that the one that was used least recently is dropped. */
  readonly most_origins: number;
  /** What is kept of the body of an answer; if there is more, the rest is cut and the connection closed. */
  readonly most_response_bytes: number;
  /** For a connection to come about, from the look-up on. A request that has less time does not wait for it. */
  readonly connect_within_ms: number;
  /** No connection takes new requests longer than that: a host that moves is followed, its new addresses checked. */
  readonly connection_life_ms: number;
};

const LIMITS: OutboundLimits = {
  most_origins: 512,
  most_response_bytes: 20_000,
  connect_within_ms: 15_000,
  connection_life_ms: 60_000,
};

/** How long a connection is kept without a request: less than what servers do that do not say it. */
const IDLE_MS = 4_000;
/** The same where the server says how long it keeps it. */
const MOST_IDLE_MS = 30_000;

const notBegun = (fault: PostFault): Ended => ({ tag: 'failed', ...fault, status: null });

/**
 * Connections are kept and used again. How many there are at once is up to the caller: as many as it has requests
 * under way, so that one that hangs never holds up another.
 */
export const openOutbound = (rules: OutboundRules, limits: Partial<OutboundLimits> = {}): Outbound => {
  const { most_origins, most_response_bytes, connect_within_ms, connection_life_ms } = { ...LIMITS, ...limits };
  const resolver = resolverFor(rules);
  const connector = openConnector({
    addressesOf: checkedAddresses(resolver, rules),
    trust: rules.trust,
    within_ms: connect_within_ms,
  });
  const dropped = new Set<Pool>();
  const pools = new LRUCache<string, Pool>({
    max: most_origins,
    dispose: (pool) => {
      dropped.add(pool);
      void pool.close().finally(() => dropped.delete(pool));
    },
  });
  let closed = false;

  const poolOf = (origin: string): Pool => {
    const kept = pools.get(origin);
    if (kept !== undefined) return kept;
    const pool = new Pool(origin, {
      connect: connector.connect,
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: MOST_IDLE_MS,
      clientTtl: connection_life_ms,
    });
    pools.set(origin, pool);
    return pool;
  };

  const attempt = async (request: PostRequest): Promise<Ended> => {
    if (closed || request.signal.aborted) return notBegun(STOPPED);
    const url = checkUrl(request.url, rules);
    if (isLeft(url)) return notBegun({ code: 'address_refused', message: url.left });
    return exchange(poolOf(url.right.origin), url.right, request, most_response_bytes);
  };

  return {
    post: async (request) => {
      const began = performance.now();
      const ended = await attempt(request);
      const duration_ms = Math.round(performance.now() - began);
      // The connection can be used again only in the next turn: who asks before it would open another one.
      await setImmediate();
      return { ...ended, duration_ms };
    },
    close: async () => {
      closed = true;
      resolver.close();
      connector.close();
      const all = [...pools.values(), ...dropped];
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
};
