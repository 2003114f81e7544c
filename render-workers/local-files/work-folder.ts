import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** `media` and `segments` outlive renders; `render(name)` creates a folder for one render. */
export type WorkFolder = {
  readonly media: string;
  readonly segments: string;
  readonly render: (name: string) => Promise<string>;
  readonly remove: () => Promise<void>;
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return fault instanceof Error && 'code' in fault && fault.code === 'EPERM';
  }
};

/** A host name may contain characters that a folder name may not. */
const ownPrefix = (kind: string): string => `rendering-${kind}-${hostname().replace(/[^A-Za-z0-9]/g, '')}-`;

/** Removes folders of crashed processes of this kind on this machine. */
const removeLeftovers = async (work_dir: string, prefix: string): Promise<void> => {
  for (const name of await readdir(work_dir)) {
    const pid = name.startsWith(prefix) ? Number(/^(\d+)-/.exec(name.slice(prefix.length))?.[1]) : Number.NaN;
    // This process has just started, so a folder with its pid belongs to an earlier process.
    if (Number.isInteger(pid) && (pid === process.pid || !isAlive(pid))) {
      await rm(join(work_dir, name), { recursive: true, force: true });
    }
  }
};

export const openWorkFolder = async (work_dir: string, kind: string): Promise<WorkFolder> => {
  await mkdir(work_dir, { recursive: true });
  const prefix = ownPrefix(kind);
  await removeLeftovers(work_dir, prefix);
  const folder = await mkdtemp(join(work_dir, `${prefix}${process.pid}-`));
  const [media, segments] = [join(folder, 'media'), join(folder, 'segments')];
  for (const kept of [media, segments]) await mkdir(kept);
  return {
    media,
    segments,
    render: async (name) => await mkdtemp(join(folder, `${name}-`)),
    remove: async () => await rm(folder, { recursive: true, force: true }),
  };
};
