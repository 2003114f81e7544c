import { isIP } from 'node:net';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Block = readonly [Address, number];

/** Ranges that are allowed in addition to public addresses. */
export type AddressRules = { readonly blocks: readonly Block[] };

const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  unique_local: ['fc00::/7'],
  link_local: ['169.254.0.0/16', 'fe80::/10'],
  cgnat: ['100.64.0.0/10'],
  benchmarking: ['198.18.0.0/15', '2001:2::/48'],
};

/**
 * At these addresses, clouds give a machine its credentials. Each is allowed only if the configuration names this very
 * address, not a range around it. 168.63.129.16 lies in a public range, and is forbidden too.
 */
const METADATA: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Azure, GCP, …
  '169.254.169.253', // AWS, DNS
  '169.254.170.2', // AWS, containers
  '169.254.170.23', // AWS, pods
  '168.63.129.16', // Azure, wire server
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
  'fd00:ec2::253',
  'fd00:ec2::23',
  'fd20:ce::254', // GCP
]);

/** Global unicast addresses. All other IPv6 addresses are reserved or not assigned yet. */
const GLOBAL_IPV6: Block = ipaddr.parseCIDR('2000::/3');

/** IPv6 addresses that embed an IPv4 address. They are never allowed, because they could hide a forbidden address. */
const HIDING_IPV4: readonly Block[] = [
  '::ffff:0:0/96', // mapped
  '::ffff:0:0:0/96', // translated
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48',
  '2002::/16', // 6to4
  '2001::/32', // Teredo
].map((block) => ipaddr.parseCIDR(block));

const COMPATIBLE_IPV4: Block = ipaddr.parseCIDR('::/96');

const lies = (address: Address, [base, prefix]: Block): boolean =>
  address.kind() === base.kind() && address.match(base, prefix);

const isWhole = (address: Address, [base, prefix]: Block): boolean =>
  lies(address, [base, prefix]) && prefix === (base.kind() === 'ipv4' ? 32 : 128);

const hidesIpv4 = (address: Address): boolean =>
  HIDING_IPV4.some((block) => lies(address, block)) ||
  (lies(address, COMPATIBLE_IPV4) && !['loopback', 'unspecified'].includes(address.range()));

const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' && (address.kind() === 'ipv4' || lies(address, GLOBAL_IPV6));

/** False for any text that is not an address, and for an address with a zone. */
export const isDialAllowed = (text: string, rules: AddressRules): boolean => {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (hidesIpv4(address)) return false;
  if (METADATA.has(address.toString())) return rules.blocks.some((block) => isWhole(address, block));
  return isPublic(address) || rules.blocks.some((block) => lies(address, block));
};

/** IPv4-mapped IPv6, as sockets report it, counts as IPv4. */
export const isInRanges = (text: string, { blocks }: AddressRules): boolean => {
  if (blocks.length === 0 || isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.process(text);
  return blocks.some((block) => lies(address, block));
};

const blocksOf = (text: string): Either<string, readonly Block[]> => {
  const named = Object.hasOwn(NAMED, text) ? NAMED[text] : undefined;
  if (named !== undefined) return right(named.map((block) => ipaddr.parseCIDR(block)));
  const [base = '', prefix, ...more] = text.split('/');
  const family = isIP(base);
  const widest = family === 4 ? 32 : 128;
  const length = prefix === undefined ? widest : Number(prefix);
  if (family === 0 || base.includes('%') || more.length > 0 || !/^\d{1,3}$/.test(prefix ?? '0') || length > widest)
    return left(`${text} is neither a block of addresses like 10.1.0.0/16 nor one of ${Object.keys(NAMED).join(', ')}`);
  const first = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6;
  const begin = first.networkAddressFromCIDR(`${base}/${length}`);
  return begin.toString() === ipaddr.parse(base).toString()
    ? right([[begin, length]])
    : left(`${text} is not the start of its block: use ${begin.toString()}/${length}`);
};

/** @param names names of ranges, blocks and single addresses, in addition to public addresses */
export const addressRules = (names: readonly string[]): Either<string, AddressRules> => {
  const blocks: Block[] = [];
  for (const name of names) {
    const decoded = blocksOf(name);
    if (isLeft(decoded)) return decoded;
    blocks.push(...decoded.right);
  }
  return right({ blocks });
};
