import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { drawingVersionOf } from '../../../domain/composition/drawing-version.ts';
import { DRAWING_VERSION } from '../../../domain/composition/engine-version.ts';
import { composeFinal, decodeFinalComposition } from '../../../domain/composition/final-composition.ts';
import { FONT_FAMILIES } from '../../../domain/composition/font-families.ts';
import { frameAt, framesOf } from '../../../domain/composition/frame-rate.ts';
import type { Layer } from '../../../domain/composition/layers.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../../domain/composition/project-document.ts';
import { checkValues, type Values } from '../../../domain/composition/values.ts';
import { compositionJson, projectJson, storedJson } from './_project.ts';

const NO_FONT = `is not a known font family; the known ones are ${FONT_FAMILIES.join(', ')}`;

const documentOf = (parts: Record<string, unknown> = {}): ProjectDocument => {
  const clip = { ...storedJson('clip', 'video'), content_type: 'video/mp4' };
  const json = projectJson({
    assets: [clip, storedJson('logo', 'image'), storedJson('other-logo', 'image')],
    ...parts,
  });
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  return decoded.right;
};
const document = documentOf();
const template = document.templates[0];

const faults = (values: Values) => {
  if (template === undefined) return ['no template'];
  const checked = checkValues(document, template, values);
  return E.isLeft(checked) ? checked.left.map(({ field, message }) => `${field}: ${message}`) : [];
};
const composed = (values: Values, of: ProjectDocument = document, template_id: string | null = 'tpl_sale') => {
  const final = composeFinal(of, template_id, values);
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};

test('values are checked by the kind of their field, all together', (t) => {
  t.deepEqual(faults({}), []);
  t.deepEqual(faults({ headline: '', unknown: '\u0000', constructor: 'x' }), []);
  t.deepEqual(faults({ accent: 'red', size: 'big', show: 'yes', logo: 'clip' }), [
    'values.logo: must be an asset of kind image; this one is of kind video',
    'values.size: must be a number',
    'values.accent: must be a colour like #E30613',
    'values.show: must be true or false',
  ]);
  t.deepEqual(faults({ size: '1001' }), ['values.size: must be <= 1000']);
  t.deepEqual(faults({ size: ' 1e1 ' }), []);
  for (const size of ['', ' ', '0x10', 'NaN', 'Infinity', '1e999', '1,5'])
    t.deepEqual(faults({ size }), ['values.size: must be a number'], size);
  t.deepEqual(faults({ logo: 'nothing' }), [
    'values.logo: must be the id of an asset of the project that is of kind image',
  ]);
});

test('exactly undrawable text is refused', (t) => {
  t.deepEqual(faults({ headline: 'a\u0000b' }), ['values.headline: must not contain the control character U+0000']);
  t.deepEqual(faults({ headline: 'a\u000bb' }), ['values.headline: must not contain the control character U+000B']);
  t.deepEqual(faults({ headline: 'a\ud800b' }), ['values.headline: must not contain a lone surrogate']);
  t.deepEqual(faults({ headline: '🎉'.repeat(10_000) }), []);
  t.deepEqual(faults({ headline: 'x'.repeat(10_001) }), ['values.headline: must have at most 10000 characters']);
  t.deepEqual(faults({ headline: 'tab\tnewline\n<b>AT&T %{pts} \\ \' "' }), []);
});

test('lines of a value end with CR LF, CR or LF', (t) => {
  const headline = 'One\r\nTwo\rThree\nFour\r\n\r\n';
  t.deepEqual(faults({ headline }), []);
  t.like(composed({ headline }).composition.layers[2], { text: 'One\nTwo\nThree\nFour\n\n' });
  t.deepEqual(faults({ headline: '\r\n'.repeat(10_000) }), [], 'a line end is one character');
  t.deepEqual(faults({ headline: 'One\r\n\u{13153}' }), ['values.headline: has a character that no font has']);
});

test('a font that the engine does not have is refused as a value', (t) => {
  if (template === undefined) return t.fail();
  const target = { layer: 'title', property: 'font_family' };
  const font = {
    key: 'font',
    label: null,
    description: null,
    kind: 'text',
    widget: null,
    default_value: 'Arial',
    target,
  };
  const check = (values: Values) => checkValues(document, { ...template, fields: [{ ...font, kind: 'text' }] }, values);
  t.deepEqual(check({ font: 'Comic Sans' }), {
    _tag: 'Left',
    left: [
      {
        field: 'values.font',
        message: NO_FONT,
      },
    ],
  });
  t.true(E.isRight(check({ font: 'Noto Sans Arabic' })));
  t.true(E.isRight(check({})), 'the preparation refuses an old default');
});

test('one field drives several properties of several layers', (t) => {
  const fields = [
    {
      key: 'brand',
      kind: 'color',
      default_value: '#112233',
      targets: [
        { layer: 'bar', property: 'color' },
        { layer: 'title', property: 'color' },
        { layer: 'title', property: 'outline_color' },
      ],
    },
  ];
  const driven = documentOf({ templates: [{ id: 'tpl_sale', name: 'x', target_composition_id: 'comp_main', fields }] });
  const colors = (values: Values) => {
    const [, , title, bar] = composed(values, driven).composition.layers;
    return title?.type === 'text' && bar?.type === 'shape' ? [title.color, title.outline_color, bar.color] : [];
  };
  t.deepEqual(colors({}), ['#112233', '#112233', '#112233']);
  t.deepEqual(colors({ brand: '#AABBCC' }), ['#AABBCC', '#AABBCC', '#AABBCC']);
  const [one] = driven.templates;
  const checked = one === undefined ? null : checkValues(driven, one, { brand: 'red' });
  t.deepEqual(checked, E.left([{ field: 'values.brand', message: 'must be a colour like #E30613' }]), 'told once');
});

test('a value outside of the limits of its field is refused', (t) => {
  if (template === undefined) return t.fail();
  const limits: Record<string, object> = {
    headline: { max_length: 3 },
    accent: { choices: ['#e30613', '#112233'] },
    logo: { choices: ['logo'] },
    size: { min: 10, max: 20.5 },
  };
  const fields = template.fields.map((field) => ({ ...field, ...limits[field.key] }));
  const refused = (values: Values) => {
    const checked = checkValues(document, { ...template, fields }, values);
    return E.isLeft(checked) ? checked.left.map(({ field, message }) => `${field}: ${message}`) : [];
  };
  t.deepEqual(refused({ headline: 'A\r\nB', accent: '#E30613', logo: 'logo', size: '20.5' }), []);
  t.deepEqual(refused({ headline: 'Sale', accent: '#000000', logo: 'other-logo', size: '9.99' }), [
    'values.headline: must have at most 3 characters',
    'values.accent: must be one of "#e30613", "#112233"',
    'values.logo: must be one of "logo"',
    'values.size: must be >= 10',
  ]);
  t.deepEqual(refused({ size: '21' }), ['values.size: must be <= 20.5']);
  t.deepEqual(refused({ logo: 'https://example.com/a.png' }), ['values.logo: must be one of "logo"']);
});

test('too many or too large values are refused', (t) => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`k${n}`, '']));
  t.deepEqual(faults(many), ['values: must have at most 200 entries']);
  t.deepEqual(faults({ a: 'x'.repeat(128 * 1024) }), ['values: must be at most 128 KiB in total']);
});

test('a final composition has values, defaults, and the used assets', (t) => {
  const final = composed({ headline: 'Grüße', logo: 'other-logo' });
  t.like(final.composition.layers[2], { text: 'Grüße', font_size: 48 });
  t.like(final.composition.layers[3], { color: '#E30613' });
  t.deepEqual(
    final.assets.map(({ id }) => id),
    ['clip', 'other-logo'],
  );
  t.deepEqual(final.variants, [
    { name: 'master', width: 1280, height: 720, codec: 'h264', quality: 'standard', crf: 21 },
    { name: 'small', width: 640, height: 360, codec: 'h264', quality: 'standard', crf: 21 },
  ]);
  t.is(final.poster_frame, 75);
  t.is(document.compositions[0]?.layers[2]?.type === 'text' && document.compositions[0].layers[2].text, 'Hello');
});

test('without a template the project is rendered unchanged', (t) => {
  t.like(composed({}, document, null).composition.layers[2], { text: 'Hello' });
});

test('a final composition decodes to itself', (t) => {
  const final = composed({ headline: 'x' });
  t.deepEqual(decodeFinalComposition(JSON.parse(canonicalJson(final))), E.right(final));
  t.true(E.isLeft(decodeFinalComposition({ ...final, engine: DRAWING_VERSION + 1 })), 'from a newer engine');
});

test('a composition that uses nothing newer has the version of former engines', (t) => {
  t.is(composed({}).engine, 6);
});

test('each newer member of a layer needs the newest engine', (t) => {
  const [plain] = composed({}).composition.layers;
  if (plain === undefined) return t.fail();
  t.is(drawingVersionOf([plain]), 6);
  for (const member of [{ flip: 'both' }, { crop: { left: 0.1 } }, { border_radius: 8 }, { blur: 2 }, { fill: {} }])
    t.is(drawingVersionOf([plain, { ...plain, ...member } as Layer]), DRAWING_VERSION);
});

test('an error of a composition names the value and the reason', (t) => {
  t.like(composeFinal(document, 'tpl_gone', {}), { left: { code: 'unknown_template' } });
  t.deepEqual(
    composeFinal(document, 'tpl_sale', { size: '-1' }),
    E.left({ code: 'invalid_values', message: 'values.size: must be >= 1', field: 'values.size' }),
  );
});

test('widths of variants are rounded to even', (t) => {
  const of = documentOf({
    compositions: [compositionJson({ width: 1080, height: 1920 })],
    variants: [{ name: 'small', height: 360, crf: 30 }],
  });
  t.deepEqual(composed({}, of).variants[1], {
    name: 'small',
    width: 202,
    height: 360,
    codec: 'h264',
    quality: 'standard',
    crf: 30,
  });
});

test('frames are counted on the grid of the frame rate', (t) => {
  const ntsc = { num: 30000, den: 1001 };
  t.is(framesOf(10, { num: 30, den: 1 }), 300);
  t.is(framesOf(10, ntsc), 300);
  t.is(framesOf(0.001, ntsc), 1);
  t.is(frameAt(0.1 + 0.2, { num: 10, den: 1 }), 3);
  t.is(frameAt(0.31, { num: 10, den: 1 }), 4);
  t.is(frameAt(1, ntsc), 30);
});
