import { livesNow } from '../world/life.ts';
import { asked, machineOfPath } from './machines.ts';

/** Replaces node:fs/promises and node:fs by the disks of simulated machines. Folders are not simulated. */

const BLOCK = 4_096;
const FREE_BLOCKS = 10_000_000;
let folders = 0;

/** Hard links are names of one object. */
type File = { bytes: Buffer };

const disks = new Map<string, Map<string, File>>();

const diskOf = (path: string): Map<string, File> => {
  const { name } = machineOfPath(path);
  const found = disks.get(name) ?? new Map<string, File>();
  disks.set(name, found);
  return found;
};

export const useEmptyDisks = (): void => {
  disks.clear();
  folders = 0;
};

export const removeLeftovers = (machine: string): void => {
  disks.delete(machine);
};

export const filesWith = (part: string): readonly { readonly path: string; readonly bytes: Buffer }[] =>
  [...disks.values()].flatMap((disk) =>
    [...disk].flatMap(([path, { bytes }]) => (path.includes(part) ? [{ path, bytes }] : [])),
  );

/** Replaces or removes (null) the file under this path. Other links keep the former file. */
export const replaceFile = (path: string, bytes: Buffer | null): void => {
  if (bytes === null) diskOf(path).delete(path);
  else diskOf(path).set(path, { bytes });
};

const fault = (code: string, path: string): Error => Object.assign(new Error(`${code}: ${path}`), { code });

const fileAt = (path: string): File => {
  const found = diskOf(path).get(path);
  if (found === undefined) throw fault('ENOENT', path);
  return found;
};

export const bytesAt = (path: string): Buffer => fileAt(path).bytes;

/**
 * Throws ENOSPC if the disk is full.
 * @param syscall the name of the system call in the error
 */
export const requireRoom = (path: string, syscall: string): void => {
  if (machineOfPath(path).disk_full)
    throw Object.assign(new Error('no space left'), { code: 'ENOSPC', errno: -28, syscall });
};

/** Half of the data is written first, because a process can end in between and a disk can fill. */
const fill = async (path: string, bytes: Buffer): Promise<void> => {
  const file = { bytes: bytes.subarray(0, bytes.length >> 1) };
  diskOf(path).set(path, file);
  await asked(livesNow()).ask(0.1, () => {
    requireRoom(path, 'write');
    file.bytes = bytes;
  });
};

export const writeNow = (path: string, bytes: Buffer): void => {
  diskOf(path).set(path, { bytes });
};

export const constants = { COPYFILE_EXCL: 1 };

/** These operations take no time. If the process has ended, they never resolve. */
const atOnce = async <A>(work: () => A): Promise<A> => {
  if (livesNow()?.isAlive() === false) return await new Promise(() => undefined);
  return work();
};

export const statfs = (path: string): Promise<{ readonly bavail: number; readonly bsize: number }> =>
  atOnce(() => ({ bavail: machineOfPath(path).disk_full ? 0 : FREE_BLOCKS, bsize: BLOCK }));

export const mkdir = (_path: string): Promise<void> => atOnce(() => undefined);

export const mkdtemp = async (prefix: string): Promise<string> => {
  const life = asked(livesNow());
  return await life.ask(0.1, () => {
    requireRoom(prefix, 'mkdir');
    folders += 1;
    return `${prefix}${folders}`;
  });
};

export const writeFile = (path: string, data: string | Uint8Array = ''): Promise<void> => fill(path, Buffer.from(data));

export const readFile = (path: string): Promise<Buffer> => atOnce(() => bytesAt(path));

export const copyFile = async (from: string, to: string): Promise<void> => await fill(to, bytesAt(from));

export const link = (from: string, to: string): Promise<void> =>
  atOnce(() => {
    if (diskOf(to).has(to)) throw fault('EEXIST', to);
    diskOf(to).set(to, fileAt(from));
  });

export const stat = (path: string): Promise<{ readonly size: number }> =>
  atOnce(() => ({ size: bytesAt(path).length }));

export const rm = (path: string): Promise<void> =>
  atOnce(() => {
    const disk = diskOf(path);
    if (disk.delete(path)) return;
    for (const one of [...disk.keys()]) if (one.startsWith(`${path}/`)) disk.delete(one);
  });

export const access = (_path: string): Promise<void> => atOnce(() => undefined);

export const rename = (from: string, to: string): Promise<void> =>
  atOnce(() => {
    diskOf(to).set(to, fileAt(from));
    diskOf(from).delete(from);
  });

export const existsSync = (path: string): boolean => diskOf(path).has(path);

export async function* createReadStream(path: string): AsyncGenerator<Buffer> {
  yield await readFile(path);
}
