import { isIP } from 'node:net';
import * as E from 'fp-ts/lib/Either.js';
import { isDialAllowed } from '../platform/outbound/address-ranges.ts';
import { resolveChecked } from '../platform/outbound/checked-addresses.ts';
import type { OutboundRules } from '../platform/outbound/outbound-rules.ts';
import { checkUrl, hostOf } from '../platform/outbound/outbound-url.ts';

const clause = (sentence: string): string => sentence.replace(/^The /, 'the ').replace(/\.$/, '');

/** `host`: the message may tell what the host's name resolves to. `url`: it tells only what the URL itself contains. */
export type AddressFault = { readonly about: 'url' | 'host'; readonly message: string };

/** A private address that the URL itself contains; null if it contains a name or an allowed address. */
const privateAddressIn = (text: string, { addresses }: OutboundRules): string | null => {
  const url = URL.parse(text);
  const host = url === null || url.protocol !== 'https:' ? '' : hostOf(url);
  return isIP(host) === 0 || isDialAllowed(host, addresses) ? null : host;
};

/**
 * Checks the form of a URL, and every IP address that its host name currently has. The relay checks both again at every
 * connection.
 *
 * @returns the normalised URL; left: the reason, for a person
 */
export type AddressCheck = (url: string) => Promise<E.Either<AddressFault, string>>;

export const createAddressCheck =
  (rules: OutboundRules): AddressCheck =>
  async (text) => {
    const url = checkUrl(text, rules);
    if (E.isLeft(url)) {
      const host = privateAddressIn(text, rules);
      return E.left({ about: 'url', message: host === null ? clause(url.left) : `${host} is a private address` });
    }
    const resolved = await resolveChecked(url.right, rules);
    if (E.isRight(resolved)) return E.right(url.right.href);
    const message = `${url.right.hostname} is refused: ${clause(resolved.left.message)}`;
    return E.left({ about: 'host', message });
  };
