import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { probeMedia } from '../../../engine/media/cached-media.ts';
import type { RasterProcess } from '../../../engine/raster/raster-process.ts';
import { limitsOf, UNCONFINED } from '../../helpers/sandbox.ts';
import { finalOf } from '../../integration/engine/_composition.ts';

const saying = (width: number): Pick<RasterProcess, 'inspect'> => {
  const image = {
    width,
    height: 1,
    has_alpha: false,
    has_text: false,
    pages: 1,
    duration_s: 0,
    frame_ms: 0,
    frames: 1,
  };
  return { inspect: async () => E.right({ tag: 'image', image }) };
};

test('image properties are cached only for renders of the same account', async (t) => {
  const path = join(tmpdir(), `known-media-${process.pid}`);
  await writeFile(path, 'a picture that many have');
  const final = finalOf({ layers: [{ id: 'a', type: 'image', asset: 'it' }] }, [{ id: 'it', kind: 'image' }]);
  const widthOf = async (owner: string | undefined, width: number) => {
    const probes = { ffprobe_path: '/nowhere', inspector: saying(width) };
    const properties = await probeMedia(
      final,
      new Map([['it', path]]),
      probes,
      { cores: 1, owner },
      limitsOf(1000, UNCONFINED),
    );
    const found = E.isRight(properties) ? properties.right.get('it') : undefined;
    return found?.kind === 'image' ? found.width : null;
  };
  t.is(await widthOf('acc_attacker', 666), 666);
  t.is(await widthOf('acc_attacker', 10), 666);
  t.is(await widthOf('acc_other', 10), 10);
  t.is(await widthOf(undefined, 11), 11);
  t.is(await widthOf(undefined, 12), 12);
});
