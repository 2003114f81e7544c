import { readFileSync } from 'node:fs';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { decodeFinalComposition } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';

// Documents stored before layers could move, rotate or replace each other. They must never change.
const stored = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`stored/${name}.json`, import.meta.url), 'utf8'));

const STILL = { position: [], opacity: [], scale: [] };

test('a project document of version 1 is decoded with defaults for later members', (t) => {
  const decoded = decodeProjectDocument(stored('version-1-document'));
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  const { master, preview, variants, assets, compositions } = decoded.right;
  t.deepEqual(master, { codec: 'h264', quality: 'standard', crf: null });
  t.is(preview, null);
  t.deepEqual(variants, [{ name: 'small', height: 360, codec: 'h264', quality: 'standard', crf: null }]);
  t.true(assets.every(({ font_family }) => font_family === null));
  const layers = compositions[0]?.layers ?? [];
  t.like(layers[0], { type: 'video', rotation: 0, keyframes: STILL, transition: null, speed: 1, trim_end: null });
  t.like(layers[3], {
    type: 'text',
    language: null,
    hyphenate: false,
    background: null,
    padding: 0,
    outline_width: 0,
    shadow_opacity: 0,
  });
  t.like(layers.at(-1), { type: 'audio', speed: 1, trim_end: null });
});

test('a final composition of version 1 is decoded and keeps its version', (t) => {
  const decoded = decodeFinalComposition(stored('version-1-final'));
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  const { engine, variants, preview, assets, composition } = decoded.right;
  t.is(engine, 1);
  t.is(preview, null);
  t.deepEqual(
    variants.map(({ codec, crf }) => [codec, crf]),
    [
      ['h264', 20],
      ['h264', 20],
    ],
  );
  t.true(assets.every(({ font_family, of_render }) => font_family === null && !of_render));
  t.like(composition.layers[3], {
    type: 'text',
    rotation: 0,
    keyframes: STILL,
    transition: null,
    background: null,
    language: null,
    hyphenate: false,
  });
});
