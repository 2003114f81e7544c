import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

const FOLDER = 'out/unit-tests';
/**
 * A module with top-level await. AVA ignores tests that are declared after an await, so it is loaded before the tests.
 */
const AWAITING = 'test/helpers/sandbox.ts';

/**
 * One test file per folder, because a process per file would take three times as long.
 *
 * @returns the pattern of these files
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
