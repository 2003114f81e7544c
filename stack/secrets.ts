import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';

const SECRET_BYTES = 32;

const Secrets = t.strict({ CURSOR_SECRET: t.string, IDEMPOTENCY_SECRET: t.string });
export type Secrets = t.TypeOf<typeof Secrets>;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

const kept = (path: string): Secrets | null => {
  try {
    const decoded = Secrets.decode(JSON.parse(readFileSync(path, 'utf8')));
    if (E.isLeft(decoded)) throw new Error(`${path} does not hold the secrets of this stack; put it back`);
    return decoded.right;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
};

/**
 * The secrets of an embedded stack, made at its first start. They are kept beside its data and go with it: render ids
 * that are in the log were derived with them.
 */
export const keptSecrets = (dataDir: string): Secrets => {
  const path = join(dataDir, 'secrets.json');
  const before = kept(path);
  if (before !== null) return before;
  mkdirSync(dataDir, { recursive: true });
  const fresh = () => randomBytes(SECRET_BYTES).toString('hex');
  const secrets: Secrets = { CURSOR_SECRET: fresh(), IDEMPOTENCY_SECRET: fresh() };
  // Whole or not at all, and never over what another start has just made.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
    return secrets;
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    return keptSecrets(dataDir);
  } finally {
    rmSync(draft, { force: true });
  }
};
