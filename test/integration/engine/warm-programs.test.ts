import { copyFile, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import type { EngineFault } from '../../../engine/process/engine-fault.ts';
import { openWarmPrograms, WARM_LIMITS, type WarmLimits } from '../../../engine/raster/warm-programs.ts';
import { renderFrame } from '../../../engine/render-frame.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { SANDBOX } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { folderOf } from './_measuring.ts';
import { optionsOf } from './_rendering.ts';

const of = (text: string) =>
  finalOf(
    {
      duration: 2,
      layers: [
        { id: 'p', type: 'image', asset: 'photo' },
        { id: 't', type: 'text', text, height: 60 },
      ],
    },
    [{ id: 'photo', kind: 'image' }],
  );

type Drawn = { readonly bytes: Buffer; readonly started: number };

const studio = async (folder: string, limits: Partial<WarmLimits> = {}) => {
  const work_dir = join(folder, 'work');
  await mkdir(work_dir);
  const photo = join(folder, 'photo.png');
  await sharp({ create: { width: 320, height: 180, channels: 3, background: '#336699' } })
    .png()
    .toFile(photo);
  let started = 0;
  const counting: Sandbox = {
    ...SANDBOX,
    confine: (program) => {
      if (basename(program.args[0] ?? '') === 'main.ts') started += 1;
      return SANDBOX.confine(program);
    },
  };
  const warm = openWarmPrograms(work_dir, counting, { ...WARM_LIMITS, ...limits });
  const draw = async (
    account: string,
    text: string,
    fonts = '',
    signal?: AbortSignal,
  ): Promise<E.Either<EngineFault, Drawn>> => {
    const before = started;
    const lease = await warm.lease(account, fonts);
    let well = false;
    try {
      const file = join(lease.files, 'photo');
      await copyFile(photo, file);
      const { open: openRasters, frames, rasters } = lease;
      const options = {
        ...optionsOf(of(text), work_dir, { photo: file }),
        openRasters,
        frames,
        rasters,
        owner: account,
      };
      const made = await renderFrame(signal === undefined ? options : { ...options, signal }, 1);
      well = E.isRight(made);
      return E.isLeft(made) ? made : E.right({ bytes: made.right.bytes, started: started - before });
    } finally {
      await lease.release(well);
    }
  };
  const drawn = async (...args: Parameters<typeof draw>): Promise<Drawn> => {
    const made = await draw(...args);
    if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
    return made.right;
  };
  const cold = async (text: string) => {
    const made = await renderFrame(optionsOf(of(text), work_dir, { photo }), 1);
    return E.isRight(made) ? made.right.bytes : null;
  };
  return { warm, draw, drawn, cold, work_dir };
};

test('stills of an account share one program and look the same as separate ones', async (t) => {
  const { warm, drawn, cold, work_dir } = await studio(await folderOf(t));
  t.is((await drawn('acc_1', 'Ada')).started, 1);
  for (const text of ['Grace', 'Ada', '']) {
    const { bytes, started } = await drawn('acc_1', text);
    t.is(started, 0, text);
    t.true((await cold(text))?.equals(bytes), text);
  }
  t.is(warm.idle(), 1);
  await warm.close();
  t.deepEqual(await readdir(work_dir), [], 'no process is left');
});

test('other accounts, other fonts and concurrent stills have separate programs', async (t) => {
  const { warm, drawn } = await studio(await folderOf(t));
  t.is((await drawn('acc_1', 'Ada')).started, 1);
  t.is((await drawn('acc_2', 'Ada')).started, 1);
  t.is((await drawn('acc_1', 'Ada', 'another font')).started, 1);
  t.is((await drawn('acc_1', 'Ada')).started, 0);
  await Promise.all([drawn('acc_3', 'Ada'), drawn('acc_3', 'Grace')]);
  t.is(warm.idle(), 4);
  t.is((await drawn('acc_2', 'Ada')).started, 0, "it has the account's only program");
  t.is(
    (await drawn('acc_1', 'Ada', 'another font')).started,
    1,
    'the oldest program of the account with the most has ended',
  );
  await warm.close();
});

test('a program ends after some stills, at its maximum age, and when idle', async (t) => {
  const { warm, drawn, work_dir } = await studio(await folderOf(t), { max_frames: 2, idle_ms: 200 });
  t.deepEqual([(await drawn('acc_1', 'A')).started, (await drawn('acc_1', 'B')).started], [1, 0]);
  t.is(warm.idle(), 0);
  t.is((await drawn('acc_1', 'C')).started, 1);
  await t.notThrowsAsync(
    pollUntil('the program has ended', async () => warm.idle() === 0 && (await readdir(work_dir)).length === 0),
  );
  const old = await studio(join(await folderOf(t)), { life_ms: 0 });
  t.deepEqual([(await old.drawn('acc_1', 'A')).started, (await old.drawn('acc_1', 'B')).started], [1, 1]);
  await Promise.all([warm.close(), old.warm.close()]);
});

test('a cancelled still ends its drawing program, and the next still is drawn', async (t) => {
  const { warm, draw, drawn, cold } = await studio(await folderOf(t));
  await drawn('acc_1', 'Ada');
  const stop = new AbortController();
  const given_up = draw('acc_1', 'Long text '.repeat(200), '', stop.signal);
  stop.abort();
  t.like(await given_up, { _tag: 'Left' });
  const next = await drawn('acc_1', 'Grace');
  t.true((await cold('Grace'))?.equals(next.bytes));
  await warm.close();
});

test('a program ends after a failed still, undeclared files or too many bytes', async (t) => {
  const folder = await folderOf(t);
  const { warm, draw, drawn, work_dir } = await studio(folder, { max_bytes: 10_000 });
  await drawn('acc_1', 'Ada');
  t.like(await draw('acc_1', 'No font has \u{13153}'), { _tag: 'Left' });
  t.is(warm.idle(), 0);

  const victim = join(folder, 'victim');
  await writeFile(victim, 'precious');
  const lease = await warm.lease('acc_1', '');
  const made = (await readdir(work_dir)).find((name) => name.startsWith('raster-')) ?? '';
  await symlink(victim, join(work_dir, made, 'drawn', 'raster-9.rgba'));
  await lease.release(true);
  t.is(await readFile(victim, 'utf8'), 'precious');
  t.is(warm.idle(), 0);

  await drawn('acc_1', 'Ada');
  t.is(warm.idle(), 1);
  const large = await warm.lease('acc_1', '');
  await writeFile(join(large.files, 'large'), Buffer.alloc(10_001));
  await large.release(true);
  t.is(warm.idle(), 0);
  await warm.close();
});
