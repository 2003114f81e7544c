import { X509Certificate } from 'node:crypto';
import { Resolver } from 'node:dns';
import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js';
import type { Values } from '../configuration/configuration.ts';
import type { OUTBOUND } from '../configuration/parts.ts';
import { messageOf } from '../logging/message-of.ts';
import { type AddressRules, addressRules } from './address-ranges.ts';

export type OutboundRules = {
  readonly addresses: AddressRules;
  readonly ports: readonly number[] | null;
  /** Null: the system's name servers. */
  readonly dns_servers: readonly string[] | null;
  /** Trusts the well-known authorities, and those of the configuration. */
  readonly trust: SecureContext;
};

const certificatesIn = (pem: string): readonly string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----.*?(?:-----END CERTIFICATE-----|$)/gs) ?? [];

const trustOf = (ca_file: string | undefined): Either<string, SecureContext> => {
  try {
    const own = ca_file === undefined ? null : certificatesIn(readFileSync(ca_file, 'utf8'));
    if (own?.length === 0) return left(`OUTBOUND_CA_FILE ${ca_file} has no PEM certificate`);
    // createSecureContext ignores invalid certificates; X509Certificate throws.
    const read = (own ?? []).map((pem) => new X509Certificate(pem).toString());
    return right(createSecureContext({ ca: [...getCACertificates('default'), ...read] }));
  } catch (error) {
    return left(`OUTBOUND_CA_FILE ${ca_file} cannot be used: ${messageOf(error)}`);
  }
};

const serversOf = (servers: readonly string[]): Either<string, readonly string[]> => {
  try {
    new Resolver().setServers(servers);
    return right(servers);
  } catch (error) {
    return left(`OUTBOUND_DNS_SERVERS must be IP addresses, with a port if it is not 53: ${messageOf(error)}`);
  }
};

/** Left: the fault, naming the variable, for the operator. */
export const outboundRules = (settings: Values<typeof OUTBOUND>): Either<string, OutboundRules> => {
  const addresses = addressRules(settings.allowed_ranges);
  if (isLeft(addresses)) return left(`OUTBOUND_ALLOWED_RANGES: ${addresses.left}`);
  const dns_servers = settings.dns_servers === undefined ? right(null) : serversOf(settings.dns_servers);
  if (isLeft(dns_servers)) return dns_servers;
  const trust = trustOf(settings.ca_file);
  if (isLeft(trust)) return trust;
  return right({
    addresses: addresses.right,
    ports: settings.allowed_ports,
    dns_servers: dns_servers.right,
    trust: trust.right,
  });
};
