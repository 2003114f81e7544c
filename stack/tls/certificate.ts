import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { generate } from 'selfsigned';

export type Certificate = { readonly cert: string; readonly key: string };

export type Validity = { readonly from: number; readonly to: number };

const DAY_MS = 24 * 60 * 60 * 1_000;
const AUTHORITY_DAYS = 3_650;

/** The longest lifetime of a server certificate that clients accept. */
const SERVER_DAYS = 397;

/** The validity begins an hour ago, because the clocks of clients may be behind. */
const validFor = (days: number): Validity => ({ from: Date.now() - DAY_MS / 24, to: Date.now() + days * DAY_MS });

const KIND = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

export const createAuthority = async (): Promise<Certificate> => {
  const { from, to } = validFor(AUTHORITY_DAYS);
  const name = `Local certificates of the video rendering service ${randomBytes(4).toString('hex')}`;
  const generated = await generate([{ name: 'commonName', value: name }], {
    ...KIND,
    notBeforeDate: new Date(from),
    notAfterDate: new Date(to),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { cert: generated.cert, key: generated.private };
};

/** A server certificate for these host names and addresses. At least one is needed; the first is the common name. */
export const issueCertificate = async (
  authority: Certificate,
  names: readonly string[],
  validity: Validity = validFor(SERVER_DAYS),
): Promise<Certificate> => {
  const generated = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    ...KIND,
    notBeforeDate: new Date(validity.from),
    notAfterDate: new Date(validity.to),
    ca: authority,
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name })),
      },
    ],
  });
  return { cert: generated.cert, key: generated.private };
};
