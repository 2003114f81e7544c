import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ROOT } from '../servers/tools.ts';

/**
 * The code of a commit of this repository with its pinned packages, installed once.
 *
 * @returns its folder
 */
export const olderVersion = async (commit: string): Promise<string> => {
  const asked = await execa('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
    cwd: ROOT,
    reject: false,
  });
  if (asked.failed) throw new Error(`this clone has no commit ${commit}: fetch the whole history, or name another one`);
  const folder = join(ROOT, '.local', 'versions', asked.stdout);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.partial`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(join(unfinished, '.local'), { recursive: true });
  const archive = execa('git', ['archive', asked.stdout], { cwd: ROOT, encoding: 'buffer', maxBuffer: 2 ** 30 });
  await execa('tar', ['-x', '-C', unfinished], { input: (await archive).stdout });
  symlinkSync(join(ROOT, '.local', 'tools'), join(unfinished, '.local', 'tools'));
  await execa(join(unfinished, 'stack/setup/setup.sh'), ['code'], { cwd: unfinished, env: { YES: '1' } });
  renameSync(unfinished, folder);
  return folder;
};
