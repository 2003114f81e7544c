import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { FONT_FAMILIES, fontFamiliesOf, isFontFamily } from '../../../domain/composition/font-families.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import type { FontFacts } from '../../../domain/composition/references.ts';
import type { FetchedMedia } from '../../../domain/composition/remote-media.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

const OWN = { ...storedJson('own', 'font'), font_family: 'Acme Grotesk' };
const OTHER = { ...storedJson('other', 'font'), font_family: 'Acme Serif', sha256: 'b'.repeat(64) };
const title = (font_family: string) => ({ id: 'title', type: 'text', text: 'Hello', font_family });
const FIELD = {
  key: 'font',
  kind: 'text',
  default_value: 'Noto Sans',
  target: { layer: 'title', property: 'font_family' },
};

const read = (font_family: string): FontFacts => ({ font_family, font_covers: '' });
const projectWith = (font_family: string, assets: readonly object[], fields: readonly object[] = []) =>
  projectJson({
    compositions: [compositionJson({ layers: [title(font_family)] })],
    assets,
    templates: [templateJson({ fields })],
  });

const faultsOf = (json: unknown, facts?: ReadonlyMap<string, FontFacts>): readonly string[] => {
  const decoded = decodeProjectFile(json, facts);
  return E.isRight(decoded) ? [] : decoded.left.map(({ path, message }) => `${path}: ${message}`);
};

const composed = (font_family: string, assets: readonly object[], values: Record<string, string>) => {
  const document = decodeProjectDocument(projectWith(font_family, assets, [FIELD]));
  if (E.isLeft(document)) throw new Error(JSON.stringify(document.left));
  return composeFinal(document.right, 'tpl_sale', values);
};

test('families are the engine’s and those of font assets, and match exactly', (t) => {
  t.true(isFontFamily('Noto Sans SC'));
  t.false(isFontFamily('noto sans sc'));
  t.false(isFontFamily('Acme Grotesk'));
  t.true(isFontFamily('Acme Grotesk', [OWN]));
  t.false(isFontFamily('Acme', [OWN]));
  t.false(isFontFamily('Acme Grotesk', [{ kind: 'image', font_family: 'Acme Grotesk' }]));
  t.is(fontFamiliesOf([OWN, OWN, OTHER]).filter((family) => family.startsWith('Acme')).length, 2);
});

test('a project file can name font families of stored fonts and its own files', (t) => {
  t.deepEqual(faultsOf(projectWith('Acme Grotesk', [OWN])), []);
  t.is(
    faultsOf(projectWith('Acme Serif', [OWN]))[0],
    `compositions[0].layers[0].font_family: is not a known font family; the known ones are ${FONT_FAMILIES.join(', ')}, Acme Grotesk`,
  );
  const file = { id: 'own', kind: 'font', file: 'assets/own.ttf' };
  t.deepEqual(faultsOf(projectWith('Acme Grotesk', [file]), new Map([['own', read('Acme Grotesk')]])), []);
  t.is(faultsOf(projectWith('Acme Grotesk', [file]), new Map([['own', read('Acme Serif')]])).length, 1);
  t.deepEqual(faultsOf(projectWith('Acme Grotesk', [file])), [], 'an unknown family has no missing characters');
});

test('font errors are reported in a project that also has other errors', (t) => {
  const told = faultsOf({ ...projectWith('Acme Serif', [OWN]), name: '' });
  t.is(told.length, 2, told.join('\n'));
  t.deepEqual(faultsOf({ ...projectWith('Acme Grotesk', [OWN]), name: '' }).length, 1);
});

test('a value must name an existing font family', (t) => {
  t.true(E.isRight(composed('Noto Sans', [OWN], { font: 'Acme Grotesk' })));
  const refused = composed('Noto Sans', [OWN], { font: 'Acme Serif' });
  if (E.isRight(refused)) return t.fail();
  t.is(refused.left.field, 'values.font');
  t.regex(refused.left.message, /is not a known font family; the known ones are .*, Acme Grotesk$/);
  t.notRegex(refused.left.message, /Acme Serif/);
});

test('a render has exactly the fonts that its texts name', (t) => {
  const final = composed('Noto Sans', [OWN, OTHER], { font: 'Acme Grotesk' });
  if (E.isLeft(final)) return t.fail(final.left.message);
  t.deepEqual(
    final.right.assets.map(({ kind, font_family }) => [kind, font_family]),
    [['font', 'Acme Grotesk']],
  );
});

test('renders with an SVG or a picture URL get all fonts of the project', (t) => {
  const showing = (engine: number, content_type: string, value: string, fetched: FetchedMedia = new Map()) => {
    const document = decodeProjectDocument({
      ...projectWith('Noto Sans', [OWN, OTHER, { ...storedJson('mark', 'image'), content_type }]),
      ...{ engine, compositions: [compositionJson({ layers: [{ id: 'mark', type: 'image', asset: 'mark' }] })] },
      templates: [
        templateJson({
          fields: [{ key: 'mark', kind: 'image', default_value: 'mark', target: { layer: 'mark', property: 'asset' } }],
        }),
      ],
    });
    if (E.isLeft(document)) throw new Error(JSON.stringify(document.left));
    const final = composeFinal(document.right, 'tpl_sale', { mark: value }, fetched);
    if (E.isLeft(final)) throw new Error(final.left.message);
    return final.right.assets.flatMap(({ font_family }) => font_family ?? []);
  };
  const all = ['Acme Grotesk', 'Acme Serif'];
  const url = 'https://example.com/mark';
  const file = { id: 'value-mark', kind: 'image', sha256: 'c'.repeat(64), font_family: null, of_render: true } as const;
  const fetched = new Map([['mark', { ...file, content_type: 'application/octet-stream' }]]);
  t.deepEqual(showing(6, 'image/svg+xml', 'mark'), all);
  t.deepEqual(showing(6, 'image/png', url, fetched), all);
  t.deepEqual(showing(6, 'image/png', url, 'to_be_fetched'), all, 'disk space is reserved for them');
  t.deepEqual(showing(6, 'image/png', 'mark'), []);
  t.deepEqual(showing(5, 'image/svg+xml', 'mark'), [], 'old projects keep their look');
});
