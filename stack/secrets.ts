import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { mintPrivateKey, openingKey, publicKeyText } from '../platform/secrets/key-pair.ts';
import { makePrivateFolder } from './process/private-folder.ts';

const SECRET_BYTES = 32;

const FIRST = { CURSOR_SECRET: t.string, IDEMPOTENCY_SECRET: t.string };
const LATER = { WEBHOOK_SECRETS_KEY: t.string };
const LATEST = {
  WEBHOOK_PRIVATE_KEYS: t.string,
  IDENTITY_SECRET: t.string,
  NOTARY_KEY: t.string,
  STILLS_SECRET: t.string,
};

const Secrets = t.strict({ ...FIRST, ...LATER, ...LATEST });
export type Secrets = t.TypeOf<typeof Secrets>;

/** The content of the file. A file of an earlier version lacks some secrets. Unknown secrets are kept. */
const Kept = t.intersection([t.type(FIRST), t.partial({ ...LATER, ...LATEST }), t.record(t.string, t.string)]);
type Kept = t.TypeOf<typeof Kept>;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const kept = (path: string): Kept | null => {
  try {
    const decoded = Kept.decode(JSON.parse(readFileSync(path, 'utf8')));
    if (E.isLeft(decoded)) throw new Error(`${path} does not have valid secrets; restore the file`);
    return decoded.right;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

const fresh = (): string => randomBytes(SECRET_BYTES).toString('hex');

const mintSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');

const freshSecrets = (): Pick<Secrets, keyof typeof LATER | keyof typeof LATEST> => ({
  WEBHOOK_SECRETS_KEY: fresh(),
  WEBHOOK_PRIVATE_KEYS: mintPrivateKey(),
  IDENTITY_SECRET: fresh(),
  NOTARY_KEY: mintSigningKey(),
  STILLS_SECRET: fresh(),
});

/** Writes the secrets to a temporary file. The caller gives it the final name, so the final file is always complete. */
const draftOf = (path: string, secrets: Readonly<Record<string, string>>): string => {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  return draft;
};

/**
 * The secrets of an embedded stack, created at its first start and stored with its data. Render ids in the log are
 * derived from them, and webhook secrets in the log are encrypted with them. Missing secrets of a new version are
 * added. A lost secret is not replaced: it throws an error with a message for the user.
 */
export const loadOrCreateSecrets = (dataDir: string): Secrets => {
  const path = join(dataDir, 'secrets.json');
  const before = kept(path);
  if (before?.WEBHOOK_SECRETS_KEY === undefined && isLater(dataDir))
    throw new Error(
      `${path} no longer has the secrets of this stack; restore the file, or delete all data with make clean`,
    );
  return before === null ? firstSecrets(dataDir, path) : completed(before, path);
};

/**
 * True if the data folder is not new: certificates are created after all secrets, so a missing key was lost. With a new
 * key, no webhook endpoint would work.
 */
const isLater = (dataDir: string): boolean => existsSync(join(dataDir, 'tls'));

/** The caller owns the data folder (see openProcessGroup), so that no other process completes the same file. */
const completed = (before: Kept, path: string): Secrets => {
  if (Secrets.is(before)) return strict(before);
  const whole = { ...freshSecrets(), ...before };
  renameSync(draftOf(path, whole), path);
  return strict(whole);
};

const strict = ({
  CURSOR_SECRET,
  IDEMPOTENCY_SECRET,
  WEBHOOK_SECRETS_KEY,
  WEBHOOK_PRIVATE_KEYS,
  IDENTITY_SECRET,
  NOTARY_KEY,
  STILLS_SECRET,
}: Secrets): Secrets => ({
  CURSOR_SECRET,
  IDEMPOTENCY_SECRET,
  WEBHOOK_SECRETS_KEY,
  WEBHOOK_PRIVATE_KEYS,
  IDENTITY_SECRET,
  NOTARY_KEY,
  STILLS_SECRET,
});

/**
 * Both keys come from the environment, or both from the folder. New secrets are encrypted for the first private key.
 */
export const webhookKeys = (
  { WEBHOOK_PRIVATE_KEYS }: Pick<Secrets, 'WEBHOOK_PRIVATE_KEYS'>,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  if (env.WEBHOOK_PRIVATE_KEYS !== undefined || env.WEBHOOK_PUBLIC_KEY !== undefined) return {};
  const first = openingKey(WEBHOOK_PRIVATE_KEYS.split(',')[0]?.trim() ?? '');
  if (first === undefined)
    throw new Error('WEBHOOK_PRIVATE_KEYS in the secrets of this stack is not a valid key; restore it');
  return { WEBHOOK_PRIVATE_KEYS, WEBHOOK_PUBLIC_KEY: publicKeyText(first) };
};

const firstSecrets = (dataDir: string, path: string): Secrets => {
  makePrivateFolder(dataDir);
  const secrets: Secrets = {
    CURSOR_SECRET: fresh(),
    IDEMPOTENCY_SECRET: fresh(),
    ...freshSecrets(),
  };
  // Atomic, and never replaces the file of a concurrent start.
  const draft = draftOf(path, secrets);
  try {
    linkSync(draft, path);
    return secrets;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return loadOrCreateSecrets(dataDir);
  } finally {
    rmSync(draft, { force: true });
  }
};
