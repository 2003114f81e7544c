import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const text = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8');

/**
 * Commands for a shell that has run `eval "$(./renderctl env)"`. The demo and the README show these lines, and a test
 * runs them.
 */
export const firstSteps = (): Promise<string> => text('first-steps.sh');

/** More commands for the same shell. The README shows these lines, and a test runs them. */
export const webhookSteps = (): Promise<string> => text('webhook-steps.sh');
