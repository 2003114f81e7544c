import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { type DrawnFiles, drawnFiles, INVALID_ANSWER } from '../../../engine/raster/drawn-files.ts';
import { NO_EDGE_PADDING } from '../../../engine/raster/geometry.ts';

const REGION = { x: 1, y: 0, width: 4, height: 4 };
const AROUND = { x: 0, y: 0, width: 6, height: 4 };
const ANIMATED = { kind: 'image', field: '', box: REGION, opacity: 1, rotation: 0, asset: 'it', fit: 'fill' } as const;
const ASKED = {
  rasters: [{ id: 'raster', region: REGION, surround: NO_EDGE_PADDING, drawings: [] }],
  animations: [{ ...ANIMATED, id: 'animation', region: REGION, surround: NO_EDGE_PADDING }],
};

type Answer = Parameters<typeof drawnFiles>[0];

test('only requested files within the folder of the drawing process are accepted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'drawn-files-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'raster.rgba'), Buffer.alloc(4 * 6 * 4));
  await writeFile(join(folder, 'animation.rgba'), Buffer.alloc(4 * 2 * 2 * 3));
  const said = (answer: Partial<Answer>, in_folder = folder): Promise<E.Either<unknown, DrawnFiles>> =>
    drawnFiles({ tag: 'drawn', rasters: [], animations: [], ...answer }, ASKED, in_folder);
  const raster = { id: 'raster', region: AROUND };
  const animation = { id: 'animation', region: { x: 2, y: 2, width: 2, height: 2 }, frames: 3, frame_ms: 40 };

  t.deepEqual(await said({ rasters: [raster], animations: [animation] }), {
    ...E.right({
      rasters: [{ ...raster, file: join(folder, 'raster.rgba') }],
      animations: [{ ...animation, file: join(folder, 'animation.rgba') }],
    }),
  });
  const elsewhere = { ...raster, file: '/etc/passwd' };
  t.like(await said({ rasters: [elsewhere] }), { right: { rasters: [{ file: join(folder, 'raster.rgba') }] } });

  const odd: readonly Partial<Answer>[] = [
    { rasters: [raster, raster] },
    { rasters: [{ ...raster, id: '../raster' }] },
    { rasters: [{ ...raster, id: 'animation' }] },
    { rasters: [{ ...raster, region: { ...AROUND, width: 8 } }] },
    { rasters: [{ ...raster, region: { ...AROUND, x: -2 } }] },
    { rasters: [{ ...raster, region: { ...AROUND, width: -6, height: -4 } }] },
    { rasters: [{ ...raster, region: { ...AROUND, width: 1.5, height: 16 } }] },
    { rasters: [{ ...raster, region: { ...AROUND, height: 2 } }] },
    { animations: [{ ...animation, frames: 1e9 }] },
    { animations: [{ ...animation, frames: -3 }] },
    { animations: [{ ...animation, frame_ms: 0 }] },
  ];
  for (const answer of odd) t.deepEqual(await said(answer), E.left(INVALID_ANSWER), JSON.stringify(answer));
  const links = join(folder, 'links');
  await mkdir(links);
  await symlink(join(folder, 'raster.rgba'), join(links, 'raster.rgba'));
  t.deepEqual(await said({ rasters: [raster] }, links), E.left(INVALID_ANSWER));
});
