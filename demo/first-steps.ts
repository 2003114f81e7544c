import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const text = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8');

/** Lines for a shell that has run `eval "$(./renderctl env)"`: shown by the demo and the README, run by a test. */
export const firstSteps = (): Promise<string> => text('first-steps.sh');

/** Lines for the same shell: an endpoint, a receiver behind it, a delivery. Shown by the README, run by a test. */
export const webhookSteps = (): Promise<string> => text('webhook-steps.sh');
