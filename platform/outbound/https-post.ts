import { setImmediate } from 'node:timers/promises';
import { isLeft } from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { Pool } from 'undici';
import { checkedResolver, resolverFor } from './checked-addresses.ts';
import { STOPPED_FAULT } from './connection-faults.ts';
import { openConnector } from './connector.ts';
import { type ExchangeResult, sendPost } from './exchange.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { checkUrl } from './outbound-url.ts';
import type { PostFault, PostRequest, PostResult } from './post-result.ts';

export type Outbound = {
  /** No redirects and no retries. Never rejects. */
  readonly post: (request: PostRequest) => Promise<PostResult>;
  readonly close: () => Promise<void>;
};

export type OutboundLimits = {
  /** Beyond this number of origins, the connections of the least recently used origin close. */
  readonly most_origins: number;
  /** If the answer's body is longer, the rest is dropped and the connection closed. */
  readonly most_response_bytes: number;
  /** Limit for opening a connection, including the look-up. A request with less time left does not wait for it. */
  readonly connect_within_ms: number;
  /** A connection closes at this age, so that the host's addresses are looked up and checked again. */
  readonly connection_life_ms: number;
};

const LIMITS: OutboundLimits = {
  most_origins: 512,
  most_response_bytes: 20_000,
  connect_within_ms: 15_000,
  connection_life_ms: 60_000,
};

/**
 * An idle connection closes after this time if the server states no keep-alive. It is shorter than the usual default of
 * servers, so that this side closes first.
 */
const IDLE_MS = 4_000;
/** Maximum keep-alive if the server states its own. */
const MAX_IDLE_MS = 30_000;

const notBegun = (fault: PostFault): ExchangeResult => ({ tag: 'failed', ...fault, status: null });

/** Reuses connections. Each request in progress has its own connection, so a hanging request delays no other. */
export const openOutbound = (rules: OutboundRules, limits: Partial<OutboundLimits> = {}): Outbound => {
  const { most_origins, most_response_bytes, connect_within_ms, connection_life_ms } = { ...LIMITS, ...limits };
  const resolver = resolverFor(rules);
  const connector = openConnector({
    addressesOf: checkedResolver(resolver, rules),
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
      keepAliveMaxTimeout: MAX_IDLE_MS,
      clientTtl: connection_life_ms,
    });
    pools.set(origin, pool);
    return pool;
  };

  const attempt = async (request: PostRequest): Promise<ExchangeResult> => {
    if (closed || request.signal.aborted) return notBegun(STOPPED_FAULT);
    const url = checkUrl(request.url, rules);
    if (isLeft(url)) return notBegun({ code: 'address_refused', message: url.left });
    return sendPost(poolOf(url.right.origin), url.right, request, most_response_bytes);
  };

  return {
    post: async (request) => {
      const began = performance.now();
      const ended = await attempt(request);
      const duration_ms = Math.floor(performance.now() - began);
      // Continues in the next turn of the event loop, because undici can reuse the connection only then. An earlier
      // request would open another connection.
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
