/**
 * One render of the long case by the engine, started to be killed: node one.ts SOURCES FOLDER CACHE. Prints its
 * progress, 0 to 1.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openFolderCache } from '../../engine/cache/folder-cache.ts';
import { longCase } from './cases.ts';
import { renderOne } from './engine-run.ts';
import { sourcesIn } from './sources.ts';

const [sources = '', folder = '', kept = ''] = process.argv.slice(2);
const long = await longCase(sourcesIn(sources));
const into = join(folder, 'killed');
await mkdir(into, { recursive: true });
await renderOne(long, 'Killed', into, {
  cache: await openFolderCache(kept),
  on_progress: (share) => void process.stdout.write(`${share}\n`),
});
