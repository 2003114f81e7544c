import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_VERSION } from '../platform/process/version.ts';

const ROOT = join(import.meta.dirname, '..');
const TIMEOUT_MS = 2_000;

/** The commit, with `-dirty` if files differ from it; null without a repository or without git. */
const commit = (): string | null => {
  // Without this check, git would find a repository in a parent folder.
  if (!existsSync(join(ROOT, '.git'))) return null;
  try {
    const args = ['-C', ROOT, 'describe', '--always', '--dirty', '--exclude', '*', '--abbrev=12'];
    return execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: TIMEOUT_MS,
    }).trim();
  } catch {
    return null;
  }
};

/** `renderctl 0.1.0 (c37de682ab12)` */
export const versionText = (): string => {
  const known = commit();
  return known === null ? `renderctl ${SERVICE_VERSION}` : `renderctl ${SERVICE_VERSION} (${known})`;
};
