import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectFile, resolveAssets } from '../../../domain/composition/project-document.ts';
import type { Values } from '../../../domain/composition/values.ts';
import { checkMedia } from '../../../engine/check-composition.ts';
import { SANDBOX } from '../../helpers/sandbox.ts';
import { folderOf, framesOf, levelOf, pixelAt, samplesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const DEMO = fileURLToPath(new URL('../../../examples/demo/', import.meta.url));

const demo = async (template_id: string | null, values: Values) => {
  const file = decodeProjectFile(JSON.parse(await readFile(join(DEMO, 'project.json'), 'utf8')));
  if (E.isLeft(file)) throw new Error(file.left.map(faultText).join('\n'));
  const facts = { sha256: 'a'.repeat(64), size_bytes: 1, content_type: 'application/octet-stream', file_name: 'file' };
  const document = resolveAssets(
    file.right,
    new Map(
      file.right.assets.map(({ id, kind }) => [id, { ...facts, id, kind, font_family: null, font_covers: null }]),
    ),
  );
  if (E.isLeft(document)) throw new Error(document.left.map(faultText).join('\n'));
  const final = composeFinal(document.right, template_id, values);
  if (E.isLeft(final)) throw new Error(final.left.message);
  const paths = Object.fromEntries(
    file.right.assets.flatMap((asset) => ('file' in asset ? [[asset.id, join(DEMO, asset.file)]] : [])),
  );
  return { final: final.right, paths };
};

test('the demo with its values has their text, colour and image in place', async (t) => {
  const values = JSON.parse(await readFile(join(DEMO, 'values.json'), 'utf8'));
  const made = await demo('tpl_campaign', values);
  t.deepEqual(
    await checkMedia(made.final, new Map(Object.entries(made.paths)), { sandbox: SANDBOX }),
    E.right(undefined),
  );
  // Text, colours and places do not depend on the effort of the encoder.
  const variants = made.final.variants.map((variant) => ({ ...variant, quality: 'draft' as const }));
  const { outputs } = await rendered(optionsOf({ ...made.final, variants }, await folderOf(t), made.paths));
  t.deepEqual(
    outputs.map(({ variant, width, height, frames, duration_ms }) => [variant, width, height, frames, duration_ms]),
    [
      ['master', 1280, 720, 300, 10_000],
      ['small', 640, 360, 300, 10_000],
    ],
  );
  const small = outputs[1]?.file ?? '';
  const [early, middle, late] = await framesOf(small, 640, 360, [15, 120, 240]);
  const [red = 0, green = 0, blue = 0] = pixelAt(middle, 640, 50, 292);
  t.true(
    Math.abs(red - 0xff) <= 6 && Math.abs(green - 0xc8) <= 6 && Math.abs(blue - 0x57) <= 8,
    `${red} ${green} ${blue}`,
  );
  const white = (frame: Buffer | undefined, x0: number, y0: number, x1: number, y1: number) => {
    let count = 0;
    for (let y = y0; y < y1; y += 1)
      for (let x = x0; x < x1; x += 1) if (pixelAt(frame, 640, x, y).every((channel) => channel > 200)) count += 1;
    return count;
  };
  t.true(white(early, 40, 102, 350, 200) === 0, 'no headline yet');
  t.true(white(middle, 40, 102, 350, 200) > 2000, 'a headline');
  t.true(white(late, 40, 102, 350, 200) > 2000, 'a headline in the other script');
  t.true(white(middle, 40, 30, 130, 58) > 150, 'a logo');
  t.true(levelOf(await samplesOf(small), 2, 7) > -30, 'music');
});
