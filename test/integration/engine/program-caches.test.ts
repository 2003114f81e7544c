import { chmod, readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import { INSPECTION_BOUNDS } from '../../../engine/process/process-bounds.ts';
import { runProcess } from '../../../engine/process/run-process.ts';
import { programCaches } from '../../../engine/raster/program-caches.ts';
import { openSandbox } from '../../../platform/sandbox/open-sandbox.ts';
import { limitsOf } from '../../helpers/sandbox.ts';
import { folderOf } from './_measuring.ts';

/** Reads Node's compile cache as Node does at its start. */
const READS_ALL = `
  const folder = require('node:module').getCompileCacheDir();
  const names = require('node:fs').readdirSync(folder);
  for (const name of names) require('node:fs').readFileSync(folder + '/' + name);
  console.log(names.length);
`;

for (const mode of ['namespaces', 'filtered'] as const)
  test(`the raster process reuses its compiled code at each start, in the ${mode} sandbox`, async (t) => {
    const sandbox = await openSandbox({ wanted: 'preferred', mode });
    t.is(sandbox.mode, mode);
    const { files, env, reads } = await programCaches(sandbox);
    const program = { program: files.node, args: ['-e', READS_ALL], env, reads: [...files.reads, ...reads] };
    const run = await runProcess({ ...program, bounds: INSPECTION_BOUNDS }, limitsOf(60_000, sandbox));
    if (E.isLeft(run)) throw new Error(JSON.stringify(run.left));
    t.is(run.right.stderr, '');
    t.true(Number(run.right.stdout) > 50, run.right.stdout);
  });

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const urlOf = (path: string): string => new URL(`../../../${path}`, import.meta.url).href;

/** A process that needs the caches, as a worker or a preparer at its first render. */
const NEEDS_THEM = `
  import { openSandbox } from '${urlOf('platform/sandbox/open-sandbox.ts')}';
  import { programCaches } from '${urlOf('engine/raster/program-caches.ts')}';
  const { env } = await programCaches(await openSandbox({ wanted: 'preferred' }));
  console.log(env.NODE_COMPILE_CACHE);
`;

test('processes that start together on a new machine fill the caches once without faults', async (t) => {
  t.timeout(240_000);
  const TMPDIR = await folderOf(t);
  await chmod(TMPDIR, 0o755);
  const starting = Array.from({ length: 3 }, () =>
    execa(process.execPath, ['--input-type=module', '-e', NEEDS_THEM], { env: { TMPDIR }, cwd: ROOT }),
  );
  const said = await Promise.all(starting);
  const [folder = '', ...others] = [...new Set(said.map(({ stdout }) => stdout))];
  t.deepEqual(others, []);
  const left = await readdir(dirname(folder));
  t.deepEqual(left.toSorted(), ['faces', 'fonts', 'programs', 'whole']);
});
