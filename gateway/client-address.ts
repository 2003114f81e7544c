import { isIP } from 'node:net';
import type { Either } from 'fp-ts/lib/Either.js';
import { isLeft, left, right } from 'fp-ts/lib/Either.js';
import ipaddr from 'ipaddr.js';
import { addressRules, isInRanges } from '../platform/outbound/address-ranges.ts';

/** An IPv6 client can use any address of its /64 network. */
const IPV6_PREFIX = 64;

/** The number of addresses in X-Forwarded-For that are read, from the nearest proxy on. Further ones are ignored. */
const MAX_PROXIES = 16;

/**
 * The group of addresses that shares its limits: one IPv4 address, or the /64 network of an IPv6 address. IPv4-mapped
 * IPv6 counts as IPv4.
 */
export const addressGroup = (text: string): string => {
  const [bare = ''] = text.split('%');
  if (isIP(bare) === 0) return 'unknown';
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${IPV6_PREFIX}`)}/${IPV6_PREFIX}`;
};

/** `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`; null for everything else. */
const forwardedAddress = (text: string): string | null => {
  const bare = /^\[([^\]]+)\](:\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
  return isIP(bare) === 0 ? null : bare;
};

export type TrustedProxies = {
  readonly trusts: (address: string) => boolean;
  /**
   * The client's address: the last one in X-Forwarded-For that is not a trusted proxy, because earlier ones may be
   * forged.
   */
  readonly clientOf: (peer: string, forwarded_for: string | undefined) => string;
};

/** @param names CIDR blocks, or names of ranges */
export const trustedProxies = (names: readonly string[]): Either<string, TrustedProxies> => {
  const rules = addressRules(names);
  if (isLeft(rules)) return left(`TRUSTED_PROXIES: ${rules.left}`);
  const trusts = (address: string): boolean => isInRanges(address, rules.right);
  return right({
    trusts,
    clientOf: (peer, forwarded_for = '') => {
      let client = peer;
      for (const part of forwarded_for.split(',').slice(-MAX_PROXIES).reverse()) {
        const address = forwardedAddress(part.trim());
        if (address === null) break;
        client = address;
        if (!trusts(address)) break;
      }
      return addressGroup(client);
    },
  });
};
