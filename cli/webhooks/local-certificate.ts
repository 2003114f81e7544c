import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export type Certificate = { readonly cert: string; readonly key: string };

/**
 * The embedded stack stores the certificate for servers on this machine next to its certificate authority
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
