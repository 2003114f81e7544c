import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const FOLDER = 'out/unit-tests';
/** It awaits at its top level, and AVA takes no test that is declared after an await: so it is loaded before the tests. */
const AWAITING = 'test/helpers/sandbox.ts';

/**
 * Writes one test file for each folder of unit tests, as starting a process for each file takes a third of their time.
 *
 * @returns the pattern that names them
 */
export const writeUnitGroups = (): string => {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const groups = Map.groupBy(globSync('test/unit/**/*.test.ts').toSorted(), (file) => basename(dirname(file)));
  for (const [group, files] of groups) {
    const awaits = files.some((file) => readFileSync(file, 'utf8').includes(basename(AWAITING)));
    const imports = files.map((file) => `import '../../${file}';\n`);
    writeFileSync(`${FOLDER}/${group}.ts`, imports.join(''));
    const load = awaits ? `await import('../../${AWAITING}');\n` : '';
    writeFileSync(`${FOLDER}/${group}.test.ts`, `${load}await import('./${group}.ts');\n`);
  }
  return `${FOLDER}/*.test.ts`;
};
