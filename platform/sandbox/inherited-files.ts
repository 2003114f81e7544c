import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = '/proc/self/fdinfo';
const O_CLOEXEC = 0o2000000;
const FIRST = 3;

const staysOpen = (fd: string): boolean => {
  try {
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`${FOLDER}/${fd}`, 'utf8'))?.[1] ?? '';
    return (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false; // the descriptor was closed meanwhile
  }
};

const found = (): readonly number[] => {
  try {
    return readdirSync(FOLDER)
      .filter(staysOpen)
      .map(Number)
      .filter((fd) => fd >= FIRST);
  } catch {
    return []; // only Linux has /proc
  }
};

/** File descriptors that this process inherited, and that every child would inherit too. Node opens none of them. */
export const INHERITED_FILES: readonly number[] = found();
