/**
 * One render of the long case by the engine, started to be killed: node one.ts SOURCES FOLDER CACHE. Prints its
 * progress, 0 to 1.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderCache } from '../../engine/cache/folder-cache.ts';
import { longCase } from './cases.ts';
import { renderCase } from './engine-run.ts';
import { caseSourcesIn } from './sources.ts';

const [sources = '', folder = '', kept = ''] = process.argv.slice(2);
const long = await longCase(caseSourcesIn(sources));
const into = join(folder, 'killed');
await mkdir(into, { recursive: true });
await renderCase(long, 'Killed', into, {
  cache: await openFolderCache(kept),
  on_progress: (share) => void process.stdout.write(`${share}\n`),
});
