import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import project from '../../../package.json' with { type: 'json' };

const read = (path: string): Promise<string> => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');

test('the workflow runs the commands of a clone', async (t) => {
  const workflow = await read('.github/workflows/ci.yml');
  t.regex(workflow, /run: \.ci\/run$/m);
  t.regex(workflow, /fetch-depth: 0/);
});

test('.nvmrc, package.json and the pinned Node name the same major version', async (t) => {
  const major = (await read('.nvmrc')).trim();
  t.is(project.engines.node, `>=${major}`);
  t.is(project.dependencies.node.split('.')[0], major);
});

test('updates skip packages that patches/ changes', async (t) => {
  const updates = await read('.github/dependabot.yml');
  const ignored = [...updates.matchAll(/dependency-name: ['"]?([^'"\n]+)/g)].map(([, name]) => name);
  const patches = await readdir(new URL('../../../patches/', import.meta.url));
  const patched = patches.map((file) => file.replace(/\+[\d.]+(?:\.dev)?\.patch$/, '').replace('+', '/'));
  t.deepEqual(ignored.toSorted(), patched.toSorted());
});
