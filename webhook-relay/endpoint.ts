import * as E from 'fp-ts/lib/Either.js';
import { EVENT_KINDS, type EventKind, isEventKind } from './event-kinds.ts';

/** Where deliveries go. `secret` is shown to its owner as `whsec_…`; the whole of it, as UTF-8, keys the signature. */
export type Endpoint = {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly EventKind[];
};

/** As it stands in the configuration. */
export type EndpointSettings = {
  readonly url: string | undefined;
  readonly secret: string | undefined;
  readonly events: readonly string[];
  /** Allows http on loopback: for the embedded stack. */
  readonly allow_private: boolean;
};

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

const urlFault = (value: string, allow_private: boolean): string | null => {
  const url = URL.parse(value);
  if (url === null) return 'WEBHOOK_ENDPOINT_URL: must be a URL, like https://example.org/hooks';
  if (url.username !== '' || url.password !== '') return 'WEBHOOK_ENDPOINT_URL: must not hold a user name or password';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && allow_private && LOOPBACK.has(url.hostname)) return null;
  return 'WEBHOOK_ENDPOINT_URL: must begin with https:// (http on loopback needs WEBHOOK_ALLOW_PRIVATE=1)';
};

/**
 * The one endpoint of the configuration.
 *
 * @returns null where none is configured; on the left every fault, each beginning with its variable
 */
export const decodeEndpoint = (settings: EndpointSettings): E.Either<readonly string[], Endpoint | null> => {
  const { url, secret, events, allow_private } = settings;
  if (url === undefined) return E.right(null);
  const unknown = events.filter((event) => !isEventKind(event));
  const faults = [
    urlFault(url, allow_private),
    secret === undefined || secret === '' ? 'WEBHOOK_ENDPOINT_SECRET: is required with WEBHOOK_ENDPOINT_URL' : null,
    unknown.length > 0
      ? `WEBHOOK_ENDPOINT_EVENTS: no such event ${unknown.map((event) => `"${event}"`).join(', ')}; there are ${EVENT_KINDS.join(', ')}`
      : null,
  ].filter((fault) => fault !== null);
  if (faults.length > 0 || secret === undefined) return E.left(faults);
  return E.right({ url, secret, events: events.filter(isEventKind) });
};
