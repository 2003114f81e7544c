import test from 'ava';
import { isRight } from 'fp-ts/lib/Either.js';
import { fieldLimits, NO_LIMITS } from '../../../domain/composition/field-limits.ts';
import type { Layer } from '../../../domain/composition/layers.ts';
import { LAYER_CODECS } from '../../../domain/composition/layers.ts';

const layerOf = (document: object): Layer => {
  const decoded = LAYER_CODECS.text.decode(document);
  if (!isRight(decoded)) throw new Error('the layer is not valid');
  return decoded.right;
};

const FONTS = [{ kind: 'font', font_family: 'House Sans' }];
const LAYERS = [layerOf({ id: 'title', type: 'text', text: 'Sale' })];
const limits = (kind: 'text' | 'number' | 'color' | 'toggle', property: string, layer = 'title') =>
  fieldLimits(LAYERS, FONTS, { kind, target: { layer, property } });

test('a field has the limits of the property that it drives', (t) => {
  t.deepEqual(limits('number', 'opacity'), { ...NO_LIMITS, minimum: 0, maximum: 1 });
  t.deepEqual(limits('number', 'font_weight'), { ...NO_LIMITS, minimum: 100, maximum: 900, whole: true });
  t.like(limits('text', 'text'), { max_length: 10_000, options: null });
  t.deepEqual(limits('text', 'vertical_align').options, ['top', 'middle', 'bottom']);
});

test('the strictest limit of a field and its properties counts', (t) => {
  const [opacity, x] = [
    { layer: 'title', property: 'opacity' },
    { layer: 'title', property: 'x' },
  ];
  const of = (kind: 'text' | 'number' | 'color', rest: object) => fieldLimits(LAYERS, FONTS, { kind, ...rest });
  t.like(of('number', { targets: [x, opacity] }), { minimum: 0, maximum: 1 });
  t.like(of('number', { target: opacity, min: 0.5, max: 9 }), { minimum: 0.5, maximum: 1 });
  t.like(of('text', { target: { layer: 'title', property: 'text' }, max_length: 20 }), { max_length: 20 });
  const align = { target: { layer: 'title', property: 'vertical_align' }, choices: ['top', 'bottom'] };
  t.deepEqual(of('text', align).options, ['top', 'bottom']);
  const color = { target: { layer: 'title', property: 'color' }, choices: ['#112233'] };
  t.deepEqual(of('color', color).options, ['#112233']);
});

test('limits are found behind null and in a transition', (t) => {
  t.like(limits('number', 'duration'), { minimum: 0 });
  t.like(limits('number', 'transition.duration'), { minimum: 0, maximum: 60 });
  t.deepEqual(limits('text', 'transition.direction').options, ['left', 'right', 'up', 'down']);
});

test('a field of a font family offers all fonts of the project', (t) => {
  const { options } = limits('text', 'font_family');
  t.true(options?.includes('Noto Sans') === true && options.includes('House Sans'));
});

test('other kinds and missing layers have no limits', (t) => {
  t.deepEqual(limits('color', 'color'), NO_LIMITS);
  t.deepEqual(limits('toggle', 'visible'), NO_LIMITS);
  t.deepEqual(limits('number', 'opacity', 'none'), NO_LIMITS);
  t.deepEqual(limits('number', 'constructor'), NO_LIMITS);
});
