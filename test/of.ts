// `node test/of.ts [--list|--unit] FILE…` runs the tests of the suite that import one of these files, directly or
// indirectly, unit tests first. Tests of whole programs start processes and import few files: `make test` runs all of
// them.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { execa } from 'execa';
import { parseSync } from 'oxc-parser';

const ROOT = resolve(import.meta.dirname, '..');
const SUITE = ['test/unit/', 'test/integration/', 'test/e2e/', 'test/chaos/'];

const sources = (): readonly string[] =>
  globSync('**/*.{ts,tsx}', {
    cwd: ROOT,
    exclude: (path) => /^(?:node_modules|\.local|out|tools|dashboard\/dist)(?:\/|$)/.test(path),
  });

const importedFiles = (file: string): readonly string[] => {
  const { module } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
  ];
  return specifiers.filter((specifier) => specifier.startsWith('.')).map((specifier) => join(dirname(file), specifier));
};

const importers = (): ReadonlyMap<string, readonly string[]> => {
  const graph = new Map<string, string[]>();
  for (const file of sources())
    for (const imported of importedFiles(file)) graph.set(imported, [...(graph.get(imported) ?? []), file]);
  return graph;
};

const reached = (files: readonly string[]): ReadonlySet<string> => {
  const graph = importers();
  const found = new Set(files);
  for (const file of found) for (const importer of graph.get(file) ?? []) found.add(importer);
  return found;
};

const testsOf = (files: readonly string[]): readonly string[] => {
  const cost = (file: string): number => SUITE.findIndex((folder) => file.startsWith(folder));
  return [...reached(files)]
    .filter((file) => file.endsWith('.test.ts') && cost(file) !== -1)
    .toSorted((one, other) => cost(one) - cost(other) || one.localeCompare(other));
};

const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'));
const files = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const wanted = testsOf(files.map((file) => relative(ROOT, resolve(file))));
const tests = options.includes('--unit') ? wanted.filter((file) => file.startsWith('test/unit/')) : wanted;
if (files.length === 0) console.error('usage: node test/of.ts [--list|--unit] FILE…');
else if (tests.length === 0) console.error('No test imports these files. Tests of whole programs may use them.');
for (const test of tests) console.log(test);
if (!options.includes('--list') && tests.length > 0) {
  const args = [join(ROOT, 'node_modules/ava/entrypoints/cli.js'), '--timeout', '5m', ...tests];
  const { exitCode } = await execa(process.execPath, args, { cwd: ROOT, reject: false, stdio: 'inherit' });
  process.exitCode = exitCode ?? 1;
}
