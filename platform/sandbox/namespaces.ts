import { dirname } from 'node:path';
import { confinedEnvironment } from './confined-environment.ts';
import { findProgram } from './find-program.ts';
import { kernelLimits, prlimitOptions } from './limits.ts';
import { chownFolder } from './own-folder.ts';
import { isBelow, programFolders, SYSTEM_FOLDERS } from './readable-system.ts';
import type { ConfinedCommand, ConfinedProgram } from './sandbox.ts';

/** /dev/zero is missing, because no limit counts the memory of its shared mapping. */
const DEVICES = ['/dev/null', '/dev/urandom'];
const EMPTY = '/nowhere';

const SETPRIV = '/usr/bin/setpriv';
const END_WITH_PARENT = ['--pdeathsig', 'KILL'];
/**
 * Only root needs this: bwrap may not signal another user's process when bwrap dies. An outer process of the same user
 * can kill the first process of the namespace, and all others end with it.
 */
const ALL_WITH_PARENT = ['/usr/bin/unshare', '--pid', '--fork', '--kill-child=KILL', '--'];
/** Exits if the parent died before `--kill-child` took effect. The out-of-memory killer chooses this process first. */
const UNLESS_ORPHANED = '[ "$PPID" = "$0" ] && echo 1000 > /proc/self/oom_score_adj && exec "$@"';

export type NamespaceOptions = {
  readonly bwrap: string;
  /** Null if this process is not root: it then uses namespaces without another user. */
  readonly uid: (() => number) | null;
  readonly filter: string;
  readonly readable: readonly string[];
};

/** Parent folders, outermost first. If bwrap created them itself, only root could pass through them. */
const parentsOf = (paths: readonly string[]): readonly string[] => {
  const parents = new Set<string>();
  for (const path of paths) {
    const above: string[] = [];
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) above.unshift(folder);
    for (const folder of above) parents.add(folder);
  }
  return [...parents];
};

/** Removes duplicates, and paths within other paths. */
const outermost = (paths: readonly string[]): readonly string[] => {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].toSorted()) if (!kept.some((folder) => isBelow(path, folder))) kept.push(path);
  return kept;
};

const mounts = (reads: readonly string[], writes: string | undefined): readonly string[] => {
  const inside = reads.filter((path) => writes !== undefined && path !== writes && isBelow(path, writes));
  const around = reads.filter((path) => path !== writes && !inside.includes(path));
  const parents = parentsOf([
    ...SYSTEM_FOLDERS,
    ...DEVICES,
    ...reads,
    ...(writes === undefined ? [] : [writes]),
  ]).filter(
    (folder) => !SYSTEM_FOLDERS.some((one) => isBelow(folder, one)) && !around.some((one) => isBelow(folder, one)),
  );
  return [
    ...parents.flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...SYSTEM_FOLDERS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...DEVICES.flatMap((path) => ['--dev-bind', path, path]),
    ...around.flatMap((path) => ['--ro-bind', path, path]),
    ...(writes === undefined ? ['--perms', '0755', '--dir', EMPTY] : ['--bind', writes, writes]),
    ...inside.flatMap((path) => ['--ro-bind', path, path]),
    ...['--remount-ro', '/', '--chdir', writes ?? EMPTY],
  ];
};

export const confineByNamespaces =
  ({ bwrap, uid, filter, readable }: NamespaceOptions) =>
  async ({ program, args, env, reads, writes, bounds }: ConfinedProgram): Promise<ConfinedCommand> => {
    const path = findProgram(program) ?? program;
    const other = uid === null ? null : writes === undefined ? uid() : await chownFolder(writes, uid);
    const seen = outermost([...readable, ...reads, ...(await programFolders(path))]);
    const limits = prlimitOptions(kernelLimits(bounds), ['as', 'data', 'fsize', 'cpu', 'nofile', 'nproc']);
    return {
      file: SETPRIV,
      // The program is process 1 of its namespace. A process in between would not be waited for, so its CPU time would
      // not count.
      args: [
        ...[
          ...[...END_WITH_PARENT, '--', '/bin/sh', '-c', UNLESS_ORPHANED, String(process.pid)],
          ...(other === null ? [] : ALL_WITH_PARENT),
          bwrap,
          '--die-with-parent',
          '--unshare-ipc',
          '--unshare-pid',
          '--as-pid-1',
          '--unshare-net',
        ],
        ...['--unshare-uts', '--unshare-cgroup-try', '--hostname', 'sandbox'],
        ...(other === null
          ? ['--unshare-user', '--disable-userns']
          : ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID']),
        ...mounts(seen, writes),
        ...['--seccomp', '3', '--', '/usr/bin/prlimit', ...limits, '--'],
        ...(other === null
          ? []
          : [SETPRIV, '--reuid', String(other), '--regid', String(other), '--clear-groups', '--']),
        ...[path, ...args],
      ],
      env: confinedEnvironment(writes ?? EMPTY, env),
      cwd: '/',
      fd3: filter,
    };
  };
