import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Certificate, createAuthority, issueCertificate } from './certificate.ts';

/** Absolute paths of a stack's own certificates, the same at every start. */
export type StoredCertificates = {
  /** The authority's certificate, for clients that connect to a server with a certificate from it. */
  readonly ca_file: string;
  readonly cert_file: string;
  readonly key_file: string;
};

const LOCAL_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** A certificate that expires within this time is replaced. */
const LEFT_MS = 30 * 24 * 60 * 60 * 1_000;

const filesIn = (folder: string) => ({
  ca_file: join(folder, 'ca.pem'),
  ca_key_file: join(folder, 'ca.key'),
  cert_file: join(folder, 'localhost.pem'),
  key_file: join(folder, 'localhost.key'),
});

const textIn = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/**
 * Null unless the certificate and the key match and the certificate does not expire soon. An interrupted start may
 * leave files that do not match.
 */
const kept = (cert_file: string, key_file: string, now_ms: number): Certificate | null => {
  const [cert, key] = [textIn(cert_file), textIn(key_file)];
  if (cert === null || key === null) return null;
  try {
    const known = new X509Certificate(cert);
    const lasts = Date.parse(known.validFrom) <= now_ms && Date.parse(known.validTo) - now_ms > LEFT_MS;
    return lasts && known.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : null;
  } catch {
    return null;
  }
};

const isSignedBy = (certificate: Certificate, authority: Certificate): boolean =>
  new X509Certificate(certificate.cert).verify(new X509Certificate(authority.cert).publicKey);

/** Writes each file atomically. Only the owner can read the key. */
const write = (cert_file: string, key_file: string, { cert, key }: Certificate): void => {
  for (const [path, text, mode] of [
    [key_file, key, 0o600],
    [cert_file, cert, 0o644],
  ] as const) {
    writeFileSync(`${path}.new`, text, { mode, flush: true });
    renameSync(`${path}.new`, path);
  }
};

/** The certificate for servers on this machine, stored next to the authority's; null if it does not exist. */
export const localCertificate = (ca_file: string | undefined): Certificate | null => {
  if (ca_file === undefined) return null;
  const { cert_file, key_file } = filesIn(dirname(ca_file));
  const [cert, key] = [textIn(cert_file), textIn(key_file)];
  return cert === null || key === null ? null : { cert, key };
};

/**
 * The stack's own certificate authority and a certificate for servers on this machine, created in `<data>/tls` at the
 * first start. Certificates that are damaged or expire within a month are replaced. Clients that trust the authority
 * also trust the new certificate.
 */
export const loadOrCreateCertificates = async (
  dataDir: string,
  now_ms: number = Date.now(),
): Promise<StoredCertificates> => {
  // The path is absolute, because programs with other working directories use it.
  const folder = resolve(dataDir, 'tls');
  mkdirSync(folder, { recursive: true });
  const { ca_file, ca_key_file, cert_file, key_file } = filesIn(folder);

  const known = kept(ca_file, ca_key_file, now_ms);
  const authority = known ?? (await createAuthority());
  if (known === null) write(ca_file, ca_key_file, authority);

  const local = kept(cert_file, key_file, now_ms);
  if (local === null || !isSignedBy(local, authority))
    write(cert_file, key_file, await issueCertificate(authority, LOCAL_NAMES));
  return { ca_file, cert_file, key_file };
};
