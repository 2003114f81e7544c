import { LRUCache } from 'lru-cache';
import { type StaticResponse, staticBytes } from '../platform/http-server/fixed-answer.ts';
import { forwardedResponseHeaders } from './forwarded-headers.ts';
import type { Upstream, UpstreamAnswer, UpstreamResponse } from './upstream.ts';

/** Files that are older than FRESH_MS are still served, up to STALE_MS, and reloaded from the API in the background. */
const FRESH_MS = 10_000;
const STALE_MS = 60_000;
/** How long an answer that cannot be cached is remembered. */
const UNKEPT_MS = 10_000;
const MAX_FILES = 256;
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

type KeptFile = { readonly answer: StaticResponse; readonly etag: string; checked_at_ms: number };

/** Headers that are not cached, because the gateway sets them for each request. */
const OWN_HEADERS = /^(vary|etag|x-request-id|access-control-.*)$/;

const isKeepable = ({ status, headers, body }: UpstreamResponse): boolean =>
  status === 200 &&
  /\bpublic\b/.test(String(headers['cache-control'] ?? '')) &&
  typeof headers.etag === 'string' &&
  headers['content-encoding'] === undefined &&
  headers['set-cookie'] === undefined &&
  body.length <= MAX_FILE_BYTES;

const keptAnswer = ({ headers, body }: UpstreamResponse): StaticResponse => {
  const own = Object.entries(forwardedResponseHeaders(headers, 'nothing')).flatMap(([name, value]) =>
    OWN_HEADERS.test(name) ? [] : [[name, String(value)] as const],
  );
  return staticBytes(body, { ...Object.fromEntries(own), ETag: String(headers.etag), Vary: 'Accept-Encoding' });
};

/**
 * Caches public files of an API. Its requests to the API contain no client data, so no client can influence answers to
 * others.
 */
export class PublicFileCache {
  readonly #upstream: Pick<Upstream, 'send'>;
  readonly #now: () => number;
  readonly #files = new LRUCache<string, KeptFile>({
    max: MAX_FILES,
    maxSize: MAX_BYTES,
    // Counts the plain and the compressed copy.
    sizeCalculation: ({ answer }) => 2 * answer.bytes.length + 1,
  });
  readonly #unkept = new LRUCache<string, true>({ max: MAX_FILES, ttl: UNKEPT_MS });
  readonly #loading = new Map<string, Promise<StaticResponse | null>>();

  constructor(upstream: Pick<Upstream, 'send'>, now = () => performance.now()) {
    this.#upstream = upstream;
    this.#now = now;
  }

  kept(path: string): StaticResponse | null {
    const file = this.#files.get(path);
    if (file === undefined) return null;
    const age_ms = this.#now() - file.checked_at_ms;
    if (age_ms > STALE_MS) return null;
    if (age_ms > FRESH_MS) void this.load(path);
    return file.answer;
  }

  /**
   * Loads a file from the API. Concurrent requests for a path share one request to the API.
   *
   * @returns null if the answer must not be cached
   */
  load(path: string): Promise<StaticResponse | null> {
    // An escaped path is not cached, because it would be a second entry for the same file.
    if (path.includes('%') || this.#unkept.has(path)) return Promise.resolve(null);
    const loading = this.#loading.get(path) ?? this.#ask(path).finally(() => this.#loading.delete(path));
    this.#loading.set(path, loading);
    return loading;
  }

  async #ask(path: string): Promise<StaticResponse | null> {
    const file = this.#files.get(path);
    const headers = file === undefined ? [] : ['if-none-match', file.etag];
    const { answer } = this.#upstream.send({ method: 'GET', target: path, headers, body: null });
    return this.#keep(path, file, await answer);
  }

  #keep(path: string, file: KeptFile | undefined, answer: UpstreamAnswer): StaticResponse | null {
    const checked_at_ms = this.#now();
    if (file !== undefined && answer.tag === 'answered' && answer.status === 304) {
      file.checked_at_ms = checked_at_ms;
      return file.answer;
    }
    this.#files.delete(path);
    if (answer.tag === 'answered' && isKeepable(answer)) {
      const kept = keptAnswer(answer);
      this.#files.set(path, { answer: kept, etag: String(answer.headers.etag), checked_at_ms });
      return kept;
    }
    if (answer.tag === 'answered') this.#unkept.set(path, true);
    return null;
  }
}
