/**
 * Writes `examples/starters/facts.json` and the stills of the dashboard, after a change of a starter.
 * `node docs/starters/write-facts.ts`.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { STARTER_IDS } from '../../catalogue/starters/starters.ts';
import { readProject } from '../../cli/catalogue/project-files.ts';
import { resolveAssets } from '../../domain/composition/project-document.ts';
import { renderFinalFrame } from '../composition/engine.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const STARTERS = join(ROOT, 'examples/starters');
const STILLS = join(ROOT, 'dashboard/source/starters');
const STILL_SIDE = 560;
const STILL_QUALITY = 78;

const facts: Record<string, readonly unknown[]> = {};
const work_dir = await mkdtemp(join(tmpdir(), 'starters-'));
try {
  await mkdir(STILLS, { recursive: true });
  for (const id of STARTER_IDS) {
    const project = await readProject(join(STARTERS, id));
    if (E.isLeft(project)) throw new Error(`${id}: ${JSON.stringify(project.left)}`);
    const { file, assets } = project.right;
    facts[id] = assets.map(({ stored }) => stored);
    const document = resolveAssets(file, new Map(assets.map(({ stored }) => [stored.id, stored])));
    if (E.isLeft(document)) throw new Error(`${id}: ${JSON.stringify(document.left)}`);
    const still = await renderFinalFrame(
      document.right,
      new Map(assets.map(({ path, stored }) => [stored.id, path])),
      work_dir,
      file.compositions[0]?.poster_time ?? 0,
    );
    const size = { width: STILL_SIDE, height: STILL_SIDE, fit: 'inside' } as const;
    await sharp(still)
      .resize(size)
      .webp({ quality: STILL_QUALITY })
      .toFile(join(STILLS, `${id}.webp`));
  }
  await writeFile(join(STARTERS, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
} finally {
  await rm(work_dir, { recursive: true, force: true });
}
