import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { TextLayer } from '../../../domain/composition/layers.ts';
import { inkRegion, scaleDrawing, typesettingOptionsOf } from '../../../engine/raster/drawing-extent.ts';
import type { Drawing, TypesettingOptions } from '../../../engine/raster/raster-job.ts';

const layerOf = (parts: Record<string, unknown>): TextLayer => {
  const decoded = TextLayer.decode({ id: 'title', type: 'text', text: 'Hello', ...parts });
  if (E.isLeft(decoded)) throw new Error('no such layer');
  return decoded.right;
};
const BOX = { x: 100, y: 100, width: 200, height: 100 };
const textOf = (setting: TypesettingOptions, rotation = 0): Drawing => ({
  ...{ kind: 'text', field: 'layers[0]', box: BOX, opacity: 1, rotation },
  setting,
});

test('typesetting options omit the invisible parts of a text', (t) => {
  t.like(typesettingOptionsOf(layerOf({})), {
    background: null,
    outline: null,
    shadow: null,
    padding: 0,
    language: null,
  });
  t.like(typesettingOptionsOf(layerOf({ language: 'de-AT', hyphenate: true })), { language: 'de-AT', hyphenate: true });
  t.like(typesettingOptionsOf(layerOf({ background: '#FF0000', background_opacity: 0 })), { background: null });
  const all = { background: '#FF0000', background_radius: 5, outline_width: 2, shadow_opacity: 0.5, shadow_blur: 3 };
  t.like(typesettingOptionsOf(layerOf(all)), {
    background: { color: '#FF0000', opacity: 1, radius: 5 },
    outline: { color: '#000000', width: 2 },
    shadow: { color: '#000000', opacity: 0.5, x: 2, y: 2, blur: 3 },
  });
});

test('ink exceeds the box of a text by letters, outline, shadow and rotation', (t) => {
  const plain = typesettingOptionsOf(layerOf({ font_size: 40 }));
  t.deepEqual(inkRegion(textOf(plain)), { x: 60, y: 60, width: 280, height: 180 });
  const more = { font_size: 40, outline_width: 4, shadow_opacity: 1, shadow_x: -20, shadow_y: 5, shadow_blur: 10 };
  t.deepEqual(inkRegion(textOf(typesettingOptionsOf(layerOf(more)))), { x: 6, y: 6, width: 388, height: 288 });
  const shape: Drawing = { ...textOf(plain, 90), kind: 'fill', color: '#FF0000' };
  const { x, y, width, height } = inkRegion(shape);
  t.true(x <= 150 && y <= 50 && x + width >= 250 && y + height >= 250);
  t.true(width <= 104 && height <= 204);
});

test('a drawing in a larger box scales all its lengths', (t) => {
  const setting = typesettingOptionsOf(
    layerOf({
      font_size: 40,
      padding: 5,
      outline_width: 4,
      shadow_opacity: 1,
      background: '#FF0000',
      background_radius: 6,
    }),
  );
  const box = { x: 0, y: 0, width: 400, height: 200 };
  const larger = scaleDrawing(textOf(setting, 30), box, 2);
  t.like(larger, { box, rotation: 30 });
  if (larger.kind !== 'text') return t.fail();
  t.like(larger.setting, {
    ...{ font_size: 80, padding: 10, line_height: 1.2, text: 'Hello' },
    outline: { color: '#000000', width: 8 },
    shadow: { color: '#000000', opacity: 1, x: 4, y: 4, blur: 8 },
    background: { color: '#FF0000', opacity: 1, radius: 12 },
  });
});

test('typesetting options have newer members only where a text uses them', (t) => {
  const known = Object.keys(typesettingOptionsOf(layerOf({})));
  const unused = { italic: false, letter_spacing: 0, ellipsis: '', background_fit: 'text', tabular_figures: false };
  t.deepEqual(Object.keys(typesettingOptionsOf(layerOf(unused))), known);
  const used = {
    ...{ italic: true, underline: true, strike: true, letter_spacing: 3, max_lines: 2 },
    ...{ background: '#FF0000', background_fit: 'lines' },
  };
  const { background: _, ...others } = used;
  t.like(typesettingOptionsOf(layerOf(used)), { ...others, ellipsis: '…' });
  t.is(typesettingOptionsOf(layerOf({ max_lines: 2, ellipsis: '' })).ellipsis, undefined);
  const features = { tabular_figures: true, font_features: 'smcp, tnum=0' };
  t.is(typesettingOptionsOf(layerOf(features)).font_features, 'tnum=1, smcp, tnum=0');
});

test('letter spacing scales with a drawing, and the backgrounds of lines exceed its box', (t) => {
  const around = { background: '#FF0000', background_fit: 'lines', padding: 30 };
  const setting = typesettingOptionsOf(layerOf({ font_size: 40, letter_spacing: 3, ...around }));
  const larger = scaleDrawing(textOf(setting), { x: 0, y: 0, width: 400, height: 200 }, 2);
  t.is(larger.kind === 'text' ? larger.setting.letter_spacing : null, 6);
  t.deepEqual(inkRegion(textOf(setting)), { x: 30, y: 30, width: 340, height: 240 });
});
