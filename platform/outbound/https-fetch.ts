import { isLeft } from 'fp-ts/lib/Either.js';
import { Client } from 'undici';
import { checkedResolver, resolverFor } from './checked-addresses.ts';
import { STOPPED_FAULT } from './connection-faults.ts';
import { openConnector } from './connector.ts';
import type { FetchFault, FetchRequest, FetchResult } from './fetch-result.ts';
import { type FileResponse, requestFile } from './file-exchange.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { checkUrl } from './outbound-url.ts';

export type Fetcher = {
  /** Follows redirects, and checks each target like the first. No retries. Never rejects. */
  readonly fetchFile: (request: FetchRequest) => Promise<FetchResult>;
  readonly close: () => Promise<void>;
};

/** Limit for opening a connection, including the look-up. */
const CONNECT_WITHIN_MS = 15_000;

const notBegun = (fault: Omit<FetchFault, 'tag' | 'status'>): FetchFault => ({ tag: 'failed', ...fault, status: null });

const targetOf = (location: string, from: URL): string => {
  const target = URL.parse(location, from.href);
  if (target === null) return location;
  target.hash = '';
  return target.href;
};

const MISLED = 'It redirects to a URL that is not allowed.';

export const openFetcher = (rules: OutboundRules): Fetcher => {
  const resolver = resolverFor(rules);
  const connector = openConnector({
    addressesOf: checkedResolver(resolver, rules),
    trust: rules.trust,
    within_ms: CONNECT_WITHIN_MS,
  });
  const clients = new Set<Client>();
  let closed = false;

  const get = async (url: URL, request: FetchRequest, left_ms: number): Promise<FileResponse> => {
    const client = new Client(url.origin, { connect: connector.connect, allowH2: false, pipelining: 1 });
    clients.add(client);
    try {
      return await requestFile(client, url, request, left_ms);
    } finally {
      clients.delete(client);
      await client.destroy();
    }
  };

  return {
    fetchFile: async (request) => {
      const began = performance.now();
      let currentUrl = request.url;
      for (let redirects = 0; redirects <= request.most_redirects; redirects += 1) {
        if (closed || request.signal.aborted) return notBegun(STOPPED_FAULT);
        const url = checkUrl(currentUrl, rules);
        if (isLeft(url)) return notBegun({ code: 'address_refused', message: redirects === 0 ? url.left : MISLED });
        const left_ms = Math.max(0, request.timeout_ms - (performance.now() - began));
        const answer = await get(url.right, request, left_ms);
        if (answer.tag !== 'elsewhere') return answer;
        currentUrl = targetOf(answer.location, url.right);
      }
      return notBegun({ code: 'redirects', message: `It redirects more than ${request.most_redirects} times.` });
    },
    close: async () => {
      closed = true;
      resolver.close();
      connector.close();
      await Promise.all([...clients].map((client) => client.destroy()));
    },
  };
};
