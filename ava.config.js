import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Seconds that each file took, written by `node stack/testing/run.ts all --record`. */
const TIMES = JSON.parse(readFileSync(new URL('stack/testing/times.json', import.meta.url), 'utf8'));

/** A new file runs first, because it may take long. */
const secondsOf = (file) => TIMES[relative(import.meta.dirname, file)] ?? Number.POSITIVE_INFINITY;

const recording = process.env.TEST_TIMES_FOLDER === undefined ? [] : ['./stack/testing/record-time.ts'];

export default {
  extensions: ['ts'],
  workerThreads: false,
  require: ['./stack/testing/without-source-maps.ts', ...recording],
  // The longest first, so that none of them runs alone at the end.
  sortTestFiles: (one, other) => {
    const [seconds, other_seconds] = [secondsOf(one), secondsOf(other)];
    return seconds === other_seconds ? one.localeCompare(other) : other_seconds - seconds;
  },
};
