import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A certificate and its private key, both PEM. */
export type Certificate = { readonly cert: string; readonly key: string };

/**
 * The certificate for servers on this machine, which an embedded stack stores beside its authority's
 * (`OUTBOUND_CA_FILE`). Null if it does not exist.
 */
export const localCertificate = async (ca_file: string | undefined): Promise<Certificate | null> => {
  if (ca_file === undefined) return null;
  const textOf = (name: string): Promise<string> => readFile(join(dirname(ca_file), name), 'utf8');
  try {
    const [cert, key] = await Promise.all([textOf('localhost.pem'), textOf('localhost.key')]);
    return { cert, key };
  } catch {
    return null;
  }
};
