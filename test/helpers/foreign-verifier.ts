import { join } from 'node:path';
import { execa } from 'execa';
import { requireTool, toolFolder } from '../../stack/servers/tools.ts';

const program = (): string => requireTool(join(toolFolder('foreign-verifier'), 'foreign-verifier'));

/** Verifiers of the Go project (`test/foreign-verifier`), with exit code 0 for valid input. */
export const foreignVerifier = {
  check: (statements: object) =>
    execa(program(), ['check'], { input: JSON.stringify(statements), all: true, reject: false, timeout: 30_000 }),
  bundle: (path: string, key: string) =>
    execa(program(), ['bundle', path, key], { all: true, reject: false, timeout: 30_000 }),
};
