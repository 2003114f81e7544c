import { join } from 'node:path';
import { execa } from 'execa';
import { requireTool, toolFolder } from '../../stack/servers/tools.ts';

const program = (): string => requireTool(join(toolFolder('foreign-verifier'), 'foreign-verifier'));

/** Verifiers of the Go project (`test/foreign-verifier`): exit code 0 where what is given to them is so. */
export const foreignVerifier = {
  /** A note with its key, proofs of inclusion and of consistency, as the program reads them. */
  check: (statements: object) =>
    execa(program(), ['check'], { input: JSON.stringify(statements), all: true, reject: false, timeout: 30_000 }),
  /** A file of `renderctl prove`, with the key of the log. */
  bundle: (path: string, key: string) =>
    execa(program(), ['bundle', path, key], { all: true, reject: false, timeout: 30_000 }),
};
