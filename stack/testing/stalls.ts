import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export type Stall = {
  readonly at: number;
  readonly program: string;
  readonly ms: number;
  /** The last requests that began before the end of the stall. */
  readonly requests: readonly string[];
};

/** A Node option that makes a process write its stalls to this file. Several processes may share the file. */
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
 * Stalls of these programs since `since`, longest first.
 *
 * @param programs such as `command-api`
 */
export const stallsIn = (file: string, programs: readonly string[], since: number): readonly Stall[] =>
  writtenIn(file)
    .filter((stall) => stall.at >= since && programs.some((name) => isOf(stall, name)))
    .toSorted((a, b) => b.ms - a.ms);

/** Programs that did not load the meter. */
export const unmeasuredPrograms = (file: string, programs: readonly string[]): readonly string[] => {
  const written = writtenIn(file);
  return programs.filter((name) => !written.some((stall) => isOf(stall, name)));
};

/** The longest stall that one client may cause for others. */
const MAX_MS = 100;

const stallText = ({ program, ms, requests }: Stall): string =>
  `${program} was blocked for ${Math.round(ms)} ms: ${requests.join(', ')}`;

/** The stalls over the limit, as text. */
export const longStalls = (stalls: readonly Stall[]): readonly string[] =>
  stalls.filter(({ ms }) => ms > MAX_MS).map(stallText);
