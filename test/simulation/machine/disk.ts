import { livesNow } from '../world/life.ts';
import { asked, machineOfPath } from './machines.ts';

/* In the place of node:fs/promises: the disks of simulated machines. */

const BLOCK = 4_096;
const FREE_BLOCKS = 10_000_000;
let folders = 0;

const onDisk = <A>(work: () => A): Promise<A> => asked(livesNow()).ask(0.1, work);

const write = (path: string): void => {
  if (machineOfPath(path).disk_full)
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC', errno: -28, syscall: 'write' });
};

export const statfs = (path: string): Promise<{ readonly bavail: number; readonly bsize: number }> =>
  onDisk(() => ({ bavail: machineOfPath(path).disk_full ? 0 : FREE_BLOCKS, bsize: BLOCK }));

export const mkdtemp = (prefix: string): Promise<string> =>
  onDisk(() => {
    write(prefix);
    folders += 1;
    return `${prefix}${folders}`;
  });

export const writeFile = (path: string): Promise<void> => onDisk(() => write(path));

export const rm = (_path: string): Promise<void> => onDisk(() => undefined);
export const access = (_path: string): Promise<void> => onDisk(() => undefined);
export const rename = (_from: string, _to: string): Promise<void> => onDisk(() => undefined);
