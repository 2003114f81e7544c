import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { FONT_FAMILIES } from '../../../domain/composition/font-families.ts';
import {
  decodeProjectDocument,
  decodeProjectFile,
  resolveAssets,
} from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

const NO_FONT = `is not a known font family; the known ones are ${FONT_FAMILIES.join(', ')}`;

const faults = (json: unknown): readonly string[] => {
  const decoded = decodeProjectFile(json);
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};
const layers = (...list: unknown[]) =>
  projectJson({ compositions: [compositionJson({ layers: list })], templates: [] });
const text = (parts: Record<string, unknown>) => ({ id: 'a', type: 'text', text: 'x', ...parts });

test('a project as written by a person is read with defaults', (t) => {
  const decoded = decodeProjectFile(projectJson());
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  const composition = decoded.right.compositions[0];
  t.deepEqual(composition?.fps, { num: 30, den: 1 });
  t.is(composition?.background, '#000000');
  t.like(composition?.layers[2], { font_family: 'Noto Sans', line_height: 1.2, opacity: 1, width: 800, height: null });
  t.is(decoded.right.templates[0]?.description, null);
});

test('texts in a file can have CR LF or CR as newlines', (t) => {
  const field = {
    kind: 'text',
    description: 'a\rb',
    default_value: 'a\r\nb',
    target: { layer: 'a', property: 'text' },
  };
  const decoded = decodeProjectFile(
    projectJson({
      compositions: [compositionJson({ layers: [text({ text: 'a\r\nb\rc' })] })],
      templates: [templateJson({ description: 'a\r\nb', fields: [{ key: 'title', ...field }] })],
    }),
  );
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  t.like(decoded.right.compositions[0]?.layers[0], { text: 'a\nb\nc' });
  t.like(decoded.right.templates[0], { description: 'a\nb', fields: [{ description: 'a\nb', default_value: 'a\nb' }] });
  t.true(faults({ ...projectJson(), name: 'a\rb' }).length === 1, 'a name is one line');
});

test('all errors are reported together, each with its path', (t) => {
  t.deepEqual(
    faults({
      ...layers(text({ duration: 0, opacity: 2, tilt: 5 }), { id: 'b', type: 'video' }, { type: 'film' }, 7),
      name: '',
    }),
    [
      'name: must not be empty',
      'compositions[0].layers[0].duration: must be > 0',
      'compositions[0].layers[0].opacity: must be <= 1',
      'compositions[0].layers[0].tilt: is not a known property',
      'compositions[0].layers[1].asset: is required',
      'compositions[0].layers[2].type: must be one of video, image, text, shape, audio, group',
      'compositions[0].layers[3]: must be a layer',
    ],
  );
});

test("a text's language is a well-formed BCP 47 tag in any case", (t) => {
  const tags = [
    'de',
    'en-GB',
    'ZH-hant-hk',
    'sr-Latn',
    'de-CH-1901',
    'es-419',
    'yue',
    'zh-yue-HK',
    'ja-u-co-unihan-x-a',
  ];
  t.deepEqual(
    faults(layers(...tags.map((language, n) => text({ id: `l${n}`, language })), text({ language: null }))),
    [],
  );
  const wrong = [
    '',
    'german',
    'en_US',
    'de-',
    '-de',
    'd',
    'zh-Hans-Hant',
    'de DE',
    'de-u',
    'de\n',
    `de${'-abcdefgh'.repeat(9)}`,
  ];
  t.deepEqual(
    faults(
      layers(...wrong.map((language, n) => text({ id: `l${n}`, language })), text({ language: 5, hyphenate: 'de' })),
    ),
    [
      ...wrong.map(
        (_, n) => `compositions[0].layers[${n}].language: must be a language tag like de, en-GB or zh-Hant-HK`,
      ),
      `compositions[0].layers[${wrong.length}].language: must be a string or null`,
      `compositions[0].layers[${wrong.length}].hyphenate: must be true or false`,
    ],
  );
});

test('reference errors are reported together with type errors', (t) => {
  t.deepEqual(
    faults(
      projectJson({
        name: '',
        main_composition_id: 'comp_gone',
        assets: [{ id: 'clip', kind: 'film', file: 'a.mp4' }, storedJson('logo', 'image')],
        compositions: [
          compositionJson({
            width: 'wide',
            height: 721,
            poster_time: 10,
            layers: [
              { id: 'back', type: 'film', asset: 'nothing' },
              { id: 'clip', type: 'video', asset: 'clip', opacity: 2 },
              { id: 'clip', type: 'image', asset: 'gone', tilt: 1, start: 11 },
              7,
              { id: 'title', type: 'text', font_family: 'Arial', color: 'red' },
            ],
          }),
        ],
        templates: [
          templateJson({
            name: '',
            fields: [
              { key: 'a', kind: 'text', default_value: 'x', target: { layer: 'back', property: 'text' } },
              { key: 'a', kind: 'text', default_value: 5, target: { layer: 'title', property: 'color' } },
              { key: 'c', default_value: '', target: { layer: 'gone' } },
            ],
          }),
        ],
      }),
    ),
    [
      'name: must not be empty',
      'compositions[0].width: must be a number',
      'compositions[0].layers[0].type: must be one of video, image, text, shape, audio, group',
      'compositions[0].layers[1].opacity: must be <= 1',
      'compositions[0].layers[2].tilt: is not a known property',
      'compositions[0].layers[3]: must be a layer',
      'compositions[0].layers[4].text: is required',
      'compositions[0].layers[4].color: must be a colour like #E30613',
      'templates[0].name: must not be empty',
      'templates[0].fields[1].default_value: must be a string',
      'templates[0].fields[2].kind: is required',
      'templates[0].fields[2].target.property: is required',
      'assets[0].kind: must be one of image, video, audio, font',
      'main_composition_id: the project has no composition "comp_gone"',
      'compositions[0].height: must be even, is 721',
      'compositions[0].layers[2].start: must be before the end of the composition (10 s)',
      'compositions[0].layers[2].id: "clip" is used twice',
      'compositions[0].poster_time: must be before the end of the composition (10 s)',
      'compositions[0].layers[2].asset: the project has no asset "gone"',
      'templates[0].fields[1].key: "a" is used twice',
      'templates[0].fields[1].kind: must be color, the kind of "color"',
      'templates[0].fields[2].target.layer: "comp_main" has no layer "gone"',
      `compositions[0].layers[4].font_family: ${NO_FONT}`,
    ],
  );
});

test('faults of targets and limits of fields have their paths', (t) => {
  const ofFields = (...fields: readonly object[]) => faults(projectJson({ templates: [templateJson({ fields })] }));
  const color = { key: 'a', kind: 'color', default_value: '#112233' };
  const [bar, title] = [
    { layer: 'bar', property: 'color' },
    { layer: 'title', property: 'color' },
  ];
  t.deepEqual(ofFields({ ...color, targets: [bar, title], choices: ['#112233', '#445566'] }), []);
  t.deepEqual(ofFields(color), ['templates[0].fields[0].target: is required, or targets, or {{a}} in a text']);
  t.deepEqual(ofFields({ ...color, target: bar, targets: [title] }), [
    'templates[0].fields[0].targets: cannot be combined with target',
  ]);
  t.deepEqual(ofFields({ ...color, targets: [bar, bar] }, { ...color, key: 'b', target: title }), [
    'templates[0].fields[0].targets[1]: "bar.color" is used twice',
  ]);
  t.deepEqual(ofFields({ ...color, targets: [bar, { layer: 'title', property: 'font_size' }] }), [
    'templates[0].fields[0].kind: must be number, the kind of "font_size"',
  ]);
  t.deepEqual(ofFields({ ...color, target: bar, max: 3, choices: ['red', '#112233'] }), [
    'templates[0].fields[0].max: is only for fields of kind number',
    'templates[0].fields[0].choices[0]: must be a colour like #E30613',
  ]);
  const size = { key: 'size', kind: 'number', default_value: '48', target: { layer: 'title', property: 'font_size' } };
  t.deepEqual(ofFields({ ...size, min: 50 }), ['templates[0].fields[0].default_value: must be >= 50']);
  t.deepEqual(ofFields({ ...size, min: 50, max: 40 }), ['templates[0].fields[0].min: must be <= max (40)']);
  t.deepEqual(ofFields({ ...size, choices: [] }), ['templates[0].fields[0].choices: must have at least 1 entry']);
});

test('a field without limits is stored as older versions know it', (t) => {
  const decoded = decodeProjectFile(projectJson());
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  t.deepEqual(Object.keys(decoded.right.templates[0]?.fields[0] ?? {}).toSorted(), [
    ...['default_value', 'description', 'key', 'kind', 'label', 'target', 'widget'],
  ]);
});

test('a template of a missing composition is still checked', (t) => {
  const fields = [
    { key: 'k', kind: 'text', default_value: 'x', target: { layer: 'a', property: 'text' } },
    { key: 'k', kind: 'text', default_value: 'x', target: { layer: 'a', property: 'text' } },
  ];
  t.deepEqual(faults(projectJson({ templates: [templateJson({ target_composition_id: 'comp_gone', fields })] })), [
    'templates[0].target_composition_id: the project has no composition "comp_gone"',
    'templates[0].fields[1].key: "k" is used twice',
    'templates[0].fields[1].target: "a.text" is used twice',
  ]);
});

test('an invalid list is reported once, without errors of its references', (t) => {
  t.deepEqual(faults(projectJson({ compositions: {} })), ['compositions: must be a list']);
  t.deepEqual(faults(projectJson({ assets: 'none' })), ['assets: must be a list']);
  t.deepEqual(faults(projectJson({ compositions: [compositionJson({ layers: null })] })), [
    'compositions[0].layers: must be a list',
  ]);
});

test('an unknown font is refused in layers and defaults of a file', (t) => {
  const field = (default_value: string) => ({
    key: 'font',
    kind: 'text',
    default_value,
    target: { layer: 'a', property: 'font_family' },
  });
  const project = projectJson({
    compositions: [compositionJson({ layers: [text({ font_family: 'noto sans' })] })],
    templates: [templateJson({ fields: [field('Arial')] })],
    assets: [],
  });
  t.deepEqual(faults(project), [
    `compositions[0].layers[0].font_family: ${NO_FONT}`,
    `templates[0].fields[0].default_value: ${NO_FONT}`,
  ]);
  // A document stored by an engine that had the font is still readable.
  t.true(E.isRight(decodeProjectDocument(project)));
});

test('nesting that is too deep is reported once at any depth', (t) => {
  const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  for (const levels of [33, 100_000])
    t.deepEqual(faults(projectJson({ name: deep(levels) })), ['must not nest more than 32 levels'], String(levels));
  t.deepEqual(faults(projectJson({ name: deep(20) })), ['name: must be a string']);
});

test('odd member names are quoted in their path', (t) => {
  const odd = ['a.b', '', '0', '__proto__', 'x'.repeat(300), 'tab\u0009 bell\u0007 csi\u009b'];
  t.deepEqual(
    faults({ ...projectJson(), ...Object.fromEntries(odd.map((name) => [name, 1])) }),
    ['["0"]', '["a.b"]', '[""]', '__proto__', `["${'x'.repeat(64)}…"]`, '["tab\\t bell\\u0007 csi?"]'].map(
      (path) => `${path}: is not a known property`,
    ),
  );
});

test('an odd side is refused and named', (t) => {
  t.deepEqual(faults(projectJson({ compositions: [compositionJson({ width: 1281, height: 721 })] })), [
    'compositions[0].width: must be even, is 1281',
    'compositions[0].height: must be even, is 721',
  ]);
});

test('dangling references are named', (t) => {
  const found = faults(
    projectJson({
      main_composition_id: 'comp_other',
      compositions: [
        compositionJson({
          layers: [
            { id: 'a', type: 'video', asset: 'missing' },
            { id: 'a', type: 'video', asset: 'logo' },
            { id: 'title', type: 'text', text: 'x', start: 11 },
          ],
        }),
      ],
      variants: [
        { name: 's', height: 361 },
        { name: 's', height: 360 },
      ],
      templates: [
        templateJson({
          fields: [
            { key: 'k', kind: 'text', default_value: 'x', target: { layer: 'gone', property: 'text' } },
            { key: 'k', kind: 'text', default_value: 'x', target: { layer: 'title', property: 'shade' } },
            { key: 'c', kind: 'text', default_value: 'x', target: { layer: 'title', property: 'color' } },
            { key: 'n', kind: 'number', default_value: 'big', target: { layer: 'title', property: 'font_size' } },
            { key: 'm', kind: 'number', default_value: '5000', target: { layer: 'title', property: 'x' } },
          ],
        }),
        templateJson({ id: 'tpl_other', target_composition_id: 'comp_gone', fields: [] }),
      ],
    }),
  );
  t.deepEqual(found, [
    'main_composition_id: the project has no composition "comp_other"',
    'variants[1].name: "s" is used twice',
    'variants[0].height: must be even, is 361',
    'compositions[0].layers[2].start: must be before the end of the composition (10 s)',
    'compositions[0].layers[1].id: "a" is used twice',
    'compositions[0].layers[0].asset: the project has no asset "missing"',
    'compositions[0].layers[1].asset: "logo" is of kind image, not video',
    'templates[0].fields[1].key: "k" is used twice',
    'templates[0].fields[0].target.layer: "comp_main" has no layer "gone"',
    'templates[0].fields[1].target.property: a text layer has no property "shade" that a field can set',
    'templates[0].fields[2].kind: must be color, the kind of "color"',
    'templates[0].fields[3].default_value: must be a number',
    'templates[0].fields[4].default_value: must be <= 4096',
    'templates[1].target_composition_id: the project has no composition "comp_gone"',
  ]);
});

test('a misspelt name gets a suggestion', (t) => {
  const misspelt = [
    { id: 'mark', type: 'image', asset: 'lgoo', opactiy: 1 },
    { id: 'title', type: 'text', text: 'Hello', transition: { from: 'Mark', type: 'cross_fade', duration: 1 } },
    { id: 'back', type: 'video', asset: 'logo-2' },
  ];
  const fields = [
    { key: 'a', kind: 'text', default_value: 'x', target: { layer: 'titel', property: 'text' } },
    { key: 'b', kind: 'color', default_value: '#FFFFFF', target: { layer: 'title', property: 'colour' } },
    { key: 'c', kind: 'image', default_value: 'Logo', target: { layer: 'mark', property: 'asset' } },
  ];
  const found = faults(
    projectJson({
      main_composition_id: 'comp_mian',
      compositions: [compositionJson({ layers: misspelt })],
      templates: [templateJson({ fields, target_composition_id: 'comp_Main' })],
      varients: [],
    }),
  );
  for (const told of [
    'varients: is not a known property; did you mean "variants"?',
    'compositions[0].layers[0].opactiy: is not a known property; did you mean "opacity"?',
    'main_composition_id: the project has no composition "comp_mian"; did you mean "comp_main"?',
    'compositions[0].layers[0].asset: the project has no asset "lgoo"; did you mean "logo"?',
    'compositions[0].layers[1].transition.from: there is no layer "Mark"; did you mean "mark"?',
    // "logo" is similar, but of another kind, so it is not suggested.
    'compositions[0].layers[2].asset: the project has no asset "logo-2"',
    'templates[0].target_composition_id: the project has no composition "comp_Main"; did you mean "comp_main"?',
  ])
    t.true(found.includes(told), `${told}\n\n${found.join('\n')}`);
  const mended = faults(
    projectJson({
      compositions: [compositionJson({ layers: [{ id: 'mark', type: 'image', asset: 'logo' }, misspelt[1]] })],
      templates: [templateJson({ fields })],
    }),
  );
  for (const told of [
    'templates[0].fields[0].target.layer: "comp_main" has no layer "titel"; did you mean "title"?',
    'templates[0].fields[1].target.property: a text layer has no property "colour" that a field can set; did you mean "color"?',
  ])
    t.true(mended.includes(told), `${told}\n\n${mended.join('\n')}`);
});

test('frame rates are read in every usual spelling', (t) => {
  for (const [written, num, den] of [
    [25, 25, 1],
    [29.97, 30000, 1001],
    ['30000/1001', 30000, 1001],
    ['60', 60, 1],
    [12.5, 25, 2],
  ] as const) {
    const decoded = decodeProjectFile(projectJson({ compositions: [compositionJson({ fps: written })] }));
    t.deepEqual(E.isRight(decoded) ? decoded.right.compositions[0]?.fps : null, { num, den }, String(written));
  }
  for (const [written, message] of [
    [0, 'must be a number or a fraction like "30000/1001"'],
    [121, 'must be <= 120'],
    ['1/2', 'must be >= 1'],
    ['30/0', 'must be a number or a fraction like "30000/1001"'],
    [Number.NaN, 'must be a number or a fraction like "30000/1001"'],
  ] as const)
    t.deepEqual(faults(projectJson({ compositions: [compositionJson({ fps: written })] })), [
      `compositions[0].fps: ${message}`,
    ]);
});

test('assets are files below the folder, never outside it', (t) => {
  for (const file of ['/etc/passwd', '../x.png', 'a/../../x.png', '-i.png', 'a\\b.png', ''])
    t.is(faults(projectJson({ assets: [{ id: 'clip', kind: 'video', file }] })).length > 0, true, file);
});

test('a document over the size limit is refused', (t) => {
  t.deepEqual(faults(layers(...Array.from({ length: 30 }, (_, n) => text({ id: `t${n}`, text: 'x'.repeat(9999) })))), [
    'must be at most 256 KiB',
  ]);
});

test('too many pixels at one moment are refused', (t) => {
  const wide = (n: number, parts: object) => ({ id: `s${n}`, type: 'shape', color: '#000000', ...parts });
  const composition = (parts: object) =>
    projectJson({
      templates: [],
      variants: [],
      compositions: [
        compositionJson({
          width: 4096,
          height: 4096,
          layers: Array.from({ length: 9 }, (_, n) => wide(n, n < 4 ? { duration: 5 } : parts)),
        }),
      ],
    });
  t.deepEqual(faults(composition({})), [
    'compositions[0].layers: show too many pixels in one frame: use fewer or smaller layers',
  ]);
  t.deepEqual(faults(composition({ start: 5 })), []);
});

test('a document with resolved assets decodes to itself', (t) => {
  const file = decodeProjectFile(projectJson());
  if (E.isLeft(file)) return t.fail();
  t.deepEqual(resolveAssets(file.right, new Map()), E.left([{ path: 'assets[0].file', message: 'is not stored' }]));
  const clip = { ...storedJson('clip', 'image'), kind: 'video' as const, font_family: null, font_covers: null };
  const resolved = resolveAssets(file.right, new Map([['clip', clip]]));
  if (E.isLeft(resolved)) return t.fail();
  t.is(resolved.right.assets[0]?.sha256, clip.sha256);
  const again = decodeProjectDocument(JSON.parse(canonicalJson(resolved.right)));
  t.deepEqual(again, resolved);
});

test('canonical JSON does not depend on the order of members', (t) => {
  t.is(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: undefined }), '{"b":[1,{"c":"ü","d":null}]}');
});
