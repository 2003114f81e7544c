import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { CliFault } from '../fault.ts';
import { errorCodeOf } from '../folder-fault.ts';

/** A session of a person, and the ID of the team that they chose. */
const LogInSession = t.intersection([
  t.type({ token: t.string, expires_at: t.number }),
  t.partial({ team_id: t.string }),
]);

/** A log-in has a key, a session, or both for one address. */
const LogIn = t.intersection([t.type({ url: t.string }), t.partial({ api_key: t.string, session: LogInSession })]);
export type LogIn = t.TypeOf<typeof LogIn>;

/** In `RENDERCTL_CONFIG_DIR`, or in a folder in the user's configuration. */
export const logInPath = (env: NodeJS.ProcessEnv): string => {
  const folder = env.RENDERCTL_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'renderctl');
  return join(folder, 'log-in.json');
};

/** Null without a log-in. */
export const readLogIn = async (path: string): Promise<E.Either<CliFault, LogIn | null>> => {
  const unreadable = (message: string) => E.left<CliFault>({ tag: 'log_in_unreadable', path, message });
  try {
    const found = LogIn.decode(JSON.parse(await readFile(path, 'utf8')));
    if (E.isLeft(found)) return unreadable('it has no url');
    const { api_key, session } = found.right;
    return api_key === undefined && session === undefined ? unreadable('it has no api_key and no session') : found;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT' || errorCodeOf(error) === 'ENOTDIR') return E.right(null);
    return unreadable(error instanceof SyntaxError ? 'it is not JSON' : messageOf(error));
  }
};

/** Only this user can read the file. */
export const writeLogIn = async (path: string, log_in: LogIn): Promise<E.Either<CliFault, null>> => {
  const fresh = `${path}.${randomUUID()}.part`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(fresh, `${JSON.stringify(log_in)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(fresh, path);
    return E.right(null);
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    return E.left({ tag: 'unwritable_file', path, message: messageOf(error) });
  }
};

/** @returns whether there was a log-in */
export const removeLogIn = async (path: string): Promise<E.Either<CliFault, boolean>> => {
  try {
    await rm(path);
    return E.right(true);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT' || errorCodeOf(error) === 'ENOTDIR') return E.right(false);
    return E.left({ tag: 'unwritable_file', path, message: messageOf(error) });
  }
};
