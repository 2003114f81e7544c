import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Lines for a shell that has run `eval "$(./renderctl env)"`: shown by the demo and the README, run by a test. */
const FIRST_STEPS_PATH = join(import.meta.dirname, 'first-steps.sh');

export const firstSteps = (): Promise<string> => readFile(FIRST_STEPS_PATH, 'utf8');
