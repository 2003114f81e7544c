import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Distinguishes processes with the same pid. On Linux it is the boot id and the start tick from /proc, elsewhere the
 * output of ps. Null if the process does not exist or is a zombie.
 */
export const processStartId = (pid: number): string | null =>
  process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);

const startFromProc = (pid: number): string | null => {
  try {
    // The second field is the program's name in brackets, which may contain spaces.
    const fields = (readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1) ?? '').split(' ');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
    return fields[0] === 'Z' ? null : `${boot}-${fields[19]}`;
  } catch {
    return null;
  }
};

const startFromPs = (pid: number): string | null => {
  try {
    const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return text === '' ? null : text.replaceAll(/\s+/g, '_');
  } catch {
    return null;
  }
};

/** False if the process group is empty. */
export const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(-pid, signal);
    return true;
  } catch (fault) {
    return fault instanceof Error && 'code' in fault && fault.code === 'EPERM';
  }
};

/**
 * Pids of processes whose environment has the variable with a value that begins with `beginning`. It finds processes in
 * other groups, such as an ffmpeg whose parent was killed. Linux only; elsewhere the list is empty.
 */
export const pidsWithVariable = (name: string, beginning: string): readonly number[] => {
  if (process.platform !== 'linux') return [];
  const wanted = `${name}=${beginning}`;
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => pid !== process.pid && environmentOf(pid).some((variable) => variable.startsWith(wanted)));
};

const environmentOf = (pid: number): readonly string[] => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    return [];
  }
};
