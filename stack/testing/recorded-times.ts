import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../servers/tools.ts';

/** The variable with the folder for the times of test files. */
export const TIMES_FOLDER = 'TEST_TIMES_FOLDER';

/** Seconds that each test file took, by its path. `ava.config.js` runs the longest first. */
const RECORDED = join(ROOT, 'stack', 'testing', 'times.json');

/** Replaces the recorded times by those in the folder, and removes the folder. */
export const writeRecordedTimes = (folder: string): void => {
  const times = readdirSync(folder).map((name): readonly [string, number] => {
    const [file, seconds] = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    return [file, Math.round(seconds)];
  });
  const longest_first = times.toSorted(([a, a_s], [b, b_s]) => b_s - a_s || a.localeCompare(b));
  writeFileSync(RECORDED, `${JSON.stringify(Object.fromEntries(longest_first), null, 2)}\n`);
  rmSync(folder, { recursive: true });
};
