import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openSandbox } from '../../../platform/sandbox/open-sandbox.ts';
import { LOOKING_BOUNDS } from '../../../render-workers/engine/process/process-bounds.ts';
import { runProcess } from '../../../render-workers/engine/process/run-process.ts';
import { programCaches } from '../../../render-workers/engine/raster/program-caches.ts';
import { limitsOf } from '../../helpers/sandbox.ts';

/** Reads what Node compiled before, as Node does at its start: its own user's. */
const READS_ALL = `
  const folder = require('node:module').getCompileCacheDir();
  const names = require('node:fs').readdirSync(folder);
  for (const name of names) require('node:fs').readFileSync(folder + '/' + name);
  console.log(names.length);
`;

for (const mode of ['namespaces', 'filtered'] as const)
  test(`the code of the raster process is not compiled again at each start, in the sandbox of ${mode}`, async (t) => {
    const sandbox = await openSandbox({ wanted: 'preferred', mode });
    t.is(sandbox.mode, mode);
    const { files, env, reads } = await programCaches(sandbox);
    const program = { program: files.node, args: ['-e', READS_ALL], env, reads: [...files.reads, ...reads] };
    const run = await runProcess({ ...program, bounds: LOOKING_BOUNDS }, limitsOf(60_000, sandbox));
    if (E.isLeft(run)) throw new Error(JSON.stringify(run.left));
    t.is(run.right.stderr, '');
    t.true(Number(run.right.stdout) > 50, run.right.stdout);
  });
