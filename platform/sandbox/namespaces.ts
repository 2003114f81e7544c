import { dirname } from 'node:path';
import { confinedEnvironment } from './confined-environment.ts';
import { findProgram } from './find-program.ts';
import { kernelLimits, prlimitOptions } from './limits.ts';
import { giveFolder } from './own-folder.ts';
import { foldersOf, isBelow, SYSTEM } from './readable-system.ts';
import type { ConfinedCommand, ConfinedProgram } from './sandbox.ts';

/** Not /dev/zero: mapped and shared, it is memory that no limit counts. */
const DEVICES = ['/dev/null', '/dev/urandom'];
const EMPTY = '/nowhere';

const SETPRIV = '/usr/bin/setpriv';
const END_WITH_PARENT = ['--pdeathsig', 'KILL'];
/**
 * As root: bwrap may not signal another user's process as it dies. One around it, of the same user, can end it as the
 * first process of a namespace, with which all others in it end.
 */
const ALL_WITH_PARENT = ['/usr/bin/unshare', '--pid', '--fork', '--kill-child=KILL', '--'];
/**
 * Exits if the parent died before `--kill-child` took effect. Otherwise the process is the first to be killed when
 * memory is short.
 */
const UNLESS_ORPHANED = '[ "$PPID" = "$0" ] && echo 1000 > /proc/self/oom_score_adj && exec "$@"';

export type NamespaceOptions = {
  readonly bwrap: string;
  /** Null: this process is root's, and takes namespaces without being another user in one. */
  readonly uid: (() => number) | null;
  /** The filter of system calls, as BPF. */
  readonly filter: string;
  /** Folders that every program may read. */
  readonly readable: readonly string[];
};

/** Folders above these, each before those in it: bwrap would make them so that only root may pass. */
const parentsOf = (paths: readonly string[]): readonly string[] => {
  const parents = new Set<string>();
  for (const path of paths) {
    const above: string[] = [];
    for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) above.unshift(folder);
    for (const folder of above) parents.add(folder);
  }
  return [...parents];
};

/** Of paths that lie in each other only the outermost; links are looked through, as what they lead to has to be there. */
const outermost = (paths: readonly string[]): readonly string[] => {
  const kept: string[] = [];
  for (const path of [...new Set(paths)].toSorted()) if (!kept.some((folder) => isBelow(path, folder))) kept.push(path);
  return kept;
};

const mounts = (reads: readonly string[], writes: string | undefined): readonly string[] => {
  const inside = reads.filter((path) => writes !== undefined && path !== writes && isBelow(path, writes));
  const around = reads.filter((path) => path !== writes && !inside.includes(path));
  const parents = parentsOf([...SYSTEM, ...DEVICES, ...reads, ...(writes === undefined ? [] : [writes])]).filter(
    (folder) => !SYSTEM.some((one) => isBelow(folder, one)) && !around.some((one) => isBelow(folder, one)),
  );
  return [
    ...parents.flatMap((folder) => ['--perms', '0755', '--dir', folder]),
    ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
    ...DEVICES.flatMap((path) => ['--dev-bind', path, path]),
    ...around.flatMap((path) => ['--ro-bind', path, path]),
    ...(writes === undefined ? ['--perms', '0755', '--dir', EMPTY] : ['--bind', writes, writes]),
    ...inside.flatMap((path) => ['--ro-bind', path, path]),
    ...['--remount-ro', '/', '--chdir', writes ?? EMPTY],
  ];
};

/** The command line by which bubblewrap runs a program with nothing around it but what it was given. */
export const confineByNamespaces =
  ({ bwrap, uid, filter, readable }: NamespaceOptions) =>
  async ({ program, args, env, reads, writes, bounds }: ConfinedProgram): Promise<ConfinedCommand> => {
    const path = findProgram(program) ?? program;
    const other = uid === null ? null : writes === undefined ? uid() : await giveFolder(writes, uid);
    const seen = outermost([...readable, ...reads, ...(await foldersOf(path))]);
    const limits = prlimitOptions(kernelLimits(bounds), ['as', 'data', 'fsize', 'cpu', 'nofile', 'nproc']);
    return {
      file: SETPRIV,
      // As process 1 of its own: one that stood between would not be waited for, and its CPU time not be counted.
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
