import { isIP } from 'node:net';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import { mayBeDialled } from './address-ranges.ts';
import type { OutboundRules } from './outbound-rules.ts';
import { hostOf } from './outbound-url.ts';
import type { PostFault } from './post-result.ts';
import { type NameResolver, openResolver } from './resolver.ts';

/** The most addresses of one host that are tried in turn, and how many of each family where there are both. */
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
  message: 'The host leads to an address that may not be called.',
};

/** @param host a name, or an address without brackets */
export type AddressesOf = (host: string) => Promise<Either<PostFault, readonly string[]>>;

/** Addresses of hosts, none at all of one that has a single address out of bounds. */
export const checkedAddresses =
  (resolver: NameResolver, rules: OutboundRules): AddressesOf =>
  async (host) => {
    const found = isIP(host) === 0 ? await resolver.resolve(host) : right([host]);
    if (isLeft(found)) return found;
    return found.right.every((address) => mayBeDialled(address, rules.addresses))
      ? right(someOf(found.right))
      : left(REFUSED);
  };

/**
 * The system is asked only where more than public addresses is allowed: it adds names of one's own network, and takes
 * threads for as long as the owner of a name likes.
 */
export const resolverFor = (rules: OutboundRules): NameResolver =>
  openResolver({ servers: rules.dns_servers, asks_system: rules.addresses.blocks.length > 0 });

/** Looks up the host of a URL once, and checks all that it leads to. It is checked again at every connection. */
export const resolveChecked = async (url: URL, rules: OutboundRules): Promise<Either<PostFault, readonly string[]>> =>
  checkedAddresses(resolverFor(rules), rules)(hostOf(url));
