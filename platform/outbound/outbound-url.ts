import { isIP } from 'node:net';
import { type Either, left, right } from 'fp-ts/lib/Either.js';
import { httpsUrlFault } from '../../domain/https-url.ts';
import { isDialAllowed } from './address-ranges.ts';
import type { OutboundRules } from './outbound-rules.ts';

const HTTPS_PORT = 443;

/** Removes the brackets of an IPv6 address. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

export const portOf = (url: URL): number => (url.port === '' ? HTTPS_PORT : Number(url.port));

/** Labels of 1 to 63 characters; a trailing dot is already removed. */
const isName = (host: string): boolean =>
  host.length <= 253 && host.split('.').every((label) => /^.{1,63}$/.test(label));

/** Does not resolve the name. Left: a sentence for the user who gave the URL. */
export const checkUrl = (text: string, rules: Pick<OutboundRules, 'addresses' | 'ports'>): Either<string, URL> => {
  const fault = httpsUrlFault(text);
  if (fault !== null) return left(`The URL ${fault}.`);
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, '');
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    if (!isDialAllowed(host, rules.addresses)) return left('The URL must have a public address.');
  } else if (!isName(host)) return left('The URL has an invalid host name.');
  const port = portOf(url);
  if (port === 0 || (rules.ports !== null && !rules.ports.includes(port)))
    return left(
      `The URL must not have port ${port}${rules.ports === null ? '' : `, only ${rules.ports.join(' or ')}`}.`,
    );
  return right(url);
};
