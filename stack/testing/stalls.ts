import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A period in which a process's own work blocked its event loop. */
export type Stall = {
  /** When it ended. */
  readonly at: number;
  readonly program: string;
  readonly ms: number;
  /** The last requests that began before its end. */
  readonly requests: readonly string[];
};

/** An option of Node that makes a process write its stalls to this file. Several processes may share the file. */
export const stallOption = (file: string): string => {
  const meter = pathToFileURL(new URL('stall-meter.ts', import.meta.url).pathname);
  meter.searchParams.set('file', file);
  return `--import=${meter.href}`;
};

const writtenIn = (file: string): readonly Stall[] => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.filter((line) => line !== '').map((line): Stall => JSON.parse(line));
};

const isOf = ({ program }: Stall, name: string): boolean => program.includes(`/${name}/`);

/**
 * The stalls of these programs since `since`, the longest first.
 *
 * @param programs such as `command-api`
 */
export const stallsIn = (file: string, programs: readonly string[], since: number): readonly Stall[] =>
  writtenIn(file)
    .filter((stall) => stall.at >= since && programs.some((name) => isOf(stall, name)))
    .toSorted((a, b) => b.ms - a.ms);

/** The programs that did not load the meter, so their stalls are unknown. */
export const unmeasuredIn = (file: string, programs: readonly string[]): readonly string[] => {
  const written = writtenIn(file);
  return programs.filter((name) => !written.some((stall) => isOf(stall, name)));
};

/** The longest stall that one client may cause for others. */
const MAX_MS = 100;

const stallText = ({ program, ms, requests }: Stall): string =>
  `${program} stood still for ${Math.round(ms)} ms: ${requests.join(', ')}`;

/** The stalls over the limit, as text. */
export const longStalls = (stalls: readonly Stall[]): readonly string[] =>
  stalls.filter(({ ms }) => ms > MAX_MS).map(stallText);
