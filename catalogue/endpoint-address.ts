import * as E from 'fp-ts/lib/Either.js';
import { resolveChecked } from '../platform/outbound/checked-addresses.ts';
import type { OutboundRules } from '../platform/outbound/outbound-rules.ts';
import { checkUrl } from '../platform/outbound/outbound-url.ts';

const clause = (sentence: string): string => sentence.replace(/^The /, 'the ').replace(/\.$/, '');

/**
 * Checks the form of a URL, and every IP address that its host name currently has. The relay checks both again at every
 * connection.
 *
 * @returns the normalised URL; left: the reason, for a person
 */
export type AddressCheck = (url: string) => Promise<E.Either<string, string>>;

export const createAddressCheck =
  (rules: OutboundRules): AddressCheck =>
  async (text) => {
    const url = checkUrl(text, rules);
    if (E.isLeft(url)) return E.left(clause(url.left));
    const resolved = await resolveChecked(url.right, rules);
    return E.isLeft(resolved)
      ? E.left(`${url.right.hostname} is refused: ${clause(resolved.left.message)}`)
      : E.right(url.right.href);
  };
