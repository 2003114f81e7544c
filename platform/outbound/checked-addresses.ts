import { isIP } from 'node:net';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { isDialAllowed } from './address-ranges.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { hostOf } from './outbound-url.ts';
import type { PostFault } from './post-result.ts';
import { type NameResolver, openResolver } from './resolver.ts';

/**
 * At most `MAX_TRIED` addresses of a host are tried in turn. If it has IPv4 and IPv6, at least `EACH_FAMILY` of each
 * are kept.
 */
const MAX_TRIED = 4;
const EACH_FAMILY = 2;

const someOf = (addresses: readonly string[]): readonly string[] => {
  const [v4, v6] = [addresses.filter((one) => isIP(one) === 4), addresses.filter((one) => isIP(one) === 6)];
  return [
    ...v4.slice(0, Math.max(EACH_FAMILY, MAX_TRIED - v6.length)),
    ...v6.slice(0, Math.max(EACH_FAMILY, MAX_TRIED - v4.length)),
  ];
};

const REFUSED: PostFault = {
  code: 'address_refused',
  message: 'The host has an address that is not allowed.',
};

/** @param host a name, or an address without brackets */
export type ResolveAddresses = (host: string) => Promise<Either<PostFault, readonly string[]>>;

/** If one address of a host is forbidden, the whole host is forbidden. */
export const checkedResolver =
  (resolver: NameResolver, rules: OutboundRules): ResolveAddresses =>
  async (host) => {
    const found = isIP(host) === 0 ? await resolver.resolve(host) : right([host]);
    if (isLeft(found)) return found;
    return found.right.every((address) => isDialAllowed(address, rules.addresses))
      ? right(someOf(found.right))
      : left(REFUSED);
  };

/**
 * Asks the system only if the rules allow more than public addresses. The system knows names of the local network, but
 * a slow name server could block Node's threads, which its look-ups use.
 */
export const resolverFor = (rules: OutboundRules): NameResolver =>
  openResolver({ servers: rules.dns_servers, asks_system: rules.addresses.blocks.length > 0 });

/** Every connection checks the addresses again. */
export const resolveChecked = async (url: URL, rules: OutboundRules): Promise<Either<PostFault, readonly string[]>> =>
  checkedResolver(resolverFor(rules), rules)(hostOf(url));
