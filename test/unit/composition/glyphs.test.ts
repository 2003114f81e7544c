import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { FONT_FAMILIES, type FontFamily } from '../../../domain/composition/font-families.ts';
import { codePointRangesOf, containsCodePoint, rangesText } from '../../../domain/composition/glyph-ranges.ts';
import { engineFamiliesFor, firstUndrawableIn } from '../../../domain/composition/glyphs.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import type { Values } from '../../../domain/composition/values.ts';
import { decideRequestRender } from '../../../domain/render/decide.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

/** An Egyptian hieroglyph, which the engine's fonts lack. */
const OWL = '\u{13153}';
const PRIVATE = '\ue001';

test('ranges are read as written, and damaged ranges give few characters', (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x10ffff })), (codes) => {
      const ranges = codePointRangesOf(rangesText(codes));
      const read = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n));
      t.deepEqual(
        read,
        [...new Set(codes)].sort((a, b) => a - b),
      );
      t.true(
        codes.every((code) => containsCodePoint(ranges, code)) &&
          !containsCodePoint(ranges, -1) &&
          !containsCodePoint(ranges, 0x110000),
      );
    }),
  );
  for (const bad of ['', ' ', '-5:zzzz', 'zzzzz', '0:zzzzz', 'a:b:c', 'zzzzzzzzz 1', '💥', '1.5'])
    t.deepEqual(codePointRangesOf(bad), [], bad);
  t.is(codePointRangesOf('0:mb33 0:mb33 1 1').length, 1, 'each character is reported once');
});

test('characters without a font are undrawable; invisible ones need no font', (t) => {
  const drawn = [
    ...[
      'Ελληνικά',
      'Кириллица',
      'العربية',
      'हिन्दी',
      'עברית',
      '简体',
      '繁體',
      'ひらカタ',
      '한국어',
      'ไทย',
      'ລາວ',
      'ខ្មែរ',
      'မြန်မာ',
    ],
    ...[
      'தமிழ்',
      'తెలుగు',
      'ಕನ್ನಡ',
      'മലയാളം',
      'বাংলা',
      'ગુજરાતી',
      'ਪੰਜਾਬੀ',
      'ଓଡ଼ିଆ',
      'සිංහල',
      'ქართული',
      'Հայերեն',
      'አማርኛ',
      'བོད་ཡིག',
    ],
    ...[
      'ᠮᠣᠩᠭᠣᠯ',
      'ދިވެހި',
      'ܣܘܪܝܝܐ',
      'ߒߞߏ',
      'ⵜⵉⴼⵉⵏⴰⵖ',
      'ᏣᎳᎩ',
      'ᐃᓄᒃᑎᑐᑦ',
      '𞤀𞤁𞤂',
      'ꦗꦮ',
      'ᱚᱞ',
      'ꯃꯤꯇꯩ',
      'ꆈꌠ',
      'ꓡꓲꓢꓴ',
      '𑄌𑄋𑄴𑄟𑄳𑄦',
      'ꕙꔤ',
    ],
    ...['➜ → ⇒ ↯', '∑∫√∂𝔸', '♪♫♭♯', '✂✈✔', '₿€₹', '😀👍🏽🇨🇭', '👩‍👩‍👧', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ...[
      '',
      ' \t\n\u00a0\u3000\u2028',
      '\u200b\u200c\u200d\u200e\u2060\ufeff\u00ad\u{e0100}\ufe0f',
      'e\u0301',
      '\u2f9d\ufa87',
    ],
  ];
  for (const text of drawn) t.is(firstUndrawableIn(text, []), null, text);
  const undrawn = [
    ...['\u0378', PRIVATE, '\u{10fffd}', '\u{20000}', OWL, '\u007f', '\u0085', '\ufffe', '\uffff', '\ufff9', '\u0890'],
    '\u{1bca0}',
  ];
  for (const text of undrawn) t.is(firstUndrawableIn(`Abc ${text}${OWL}`, []), text.codePointAt(0) ?? null, text);
});

test('a project font adds its characters; an uninspected font adds all', (t) => {
  const covers = rangesText([0xe001, 0x13153]);
  t.is(firstUndrawableIn(`a${PRIVATE}${OWL}`, [covers]), null);
  t.is(firstUndrawableIn(`a\ue002${PRIVATE}`, [covers]), 0xe002);
  t.is(
    firstUndrawableIn(`${PRIVATE}${OWL}`, [rangesText([0xe001]), rangesText([0x13153])]),
    null,
    'all its files together',
  );
  t.is(firstUndrawableIn(`a${PRIVATE}`, [covers, null]), null);
  t.is(firstUndrawableIn('a\ufffe', [rangesText([0xfffe])]), 0xfffe, 'a box, whatever the font has');
});

test('the first family that has a character draws it', (t) => {
  const faces = (text: string, named = 'Noto Sans') =>
    engineFamiliesFor(text, named, null).map((family) => family.slice(5));
  t.deepEqual(faces('Hello, Ωмир!'), ['Sans']);
  t.deepEqual(faces(''), ['Sans']);
  t.deepEqual(faces('Hi 你好'), ['Sans', 'Sans SC']);
  t.deepEqual(faces('ひらがな'), ['Sans', 'Sans SC'], 'as before other fonts existed');
  t.deepEqual(faces('한 ไทย'), ['Sans', 'Sans KR', 'Sans Thai']);
  t.deepEqual(faces('ไทย', 'Noto Sans Thai'), ['Sans Thai', 'Sans']);
  t.deepEqual(faces('ไทย', 'Acme Grotesk'), ['Sans', 'Sans Thai']);
  t.deepEqual(faces('\ufa87'), ['Sans', 'Sans SC'], 'another encoding of an existing character');
  for (const emoji of ['☀', '😀', '1\ufe0f\u20e3', '🇨🇭', '©']) t.true(faces(emoji).includes('Color Emoji'), emoji);
  const all: readonly FontFamily[] = engineFamiliesFor('a☀你ไ한', 'Noto Sans Hebrew', null);
  t.is(all[0], 'Noto Sans Hebrew');
  t.deepEqual(
    all.slice(1),
    FONT_FAMILIES.filter((family) => all.slice(1).includes(family)),
  );
});

const FONT = { ...storedJson('own', 'font'), font_family: 'Acme Icons', font_covers: rangesText([0xe001]) };
const field = (key: string, property: string, default_value: string) => ({
  ...{ key, kind: 'text', default_value },
  target: { layer: 'title', property },
});
const projectOf = (layer: object, assets: readonly object[], default_value = 'Hello') =>
  projectJson({
    compositions: [compositionJson({ layers: [{ id: 'title', type: 'text', text: 'Hello', ...layer }] })],
    assets,
    templates: [
      templateJson({ fields: [field('headline', 'text', default_value), field('font', 'font_family', 'Noto Sans')] }),
    ],
  });

test('imports refuse undrawable texts in layers and defaults', (t) => {
  const told = (json: unknown, facts?: Parameters<typeof decodeProjectFile>[1]) => {
    const decoded = decodeProjectFile(json, facts);
    return E.isRight(decoded) ? [] : decoded.left.map(({ path, message }) => `${path}: ${message}`);
  };
  const [in_layer, in_default] = ['compositions[0].layers[0].text', 'templates[0].fields[0].default_value'];
  t.deepEqual(told(projectOf({ text: `a${OWL}` }, [])), [`${in_layer}: has a character that no font has: U+13153`]);
  t.deepEqual(told(projectOf({}, [], PRIVATE)), [`${in_default}: has a character that no font has: U+E001`]);
  t.is(told({ ...projectOf({ text: OWL }, [], OWL), name: '' }).length, 3, 'in addition to its other faults');
  const icons = { text: PRIVATE, font_family: 'Acme Icons' };
  t.deepEqual(told(projectOf(icons, [FONT], PRIVATE)), []);
  t.is(told(projectOf({ ...icons, text: '\ue002' }, [FONT])).length, 1);
  t.is(told(projectOf({ text: PRIVATE }, [FONT])).length, 1, 'in another font');
  const file = { id: 'own', kind: 'font', file: 'assets/own.ttf' };
  const facts = (font_covers: string | null) => new Map([['own', { font_family: 'Acme Icons', font_covers }]]);
  t.deepEqual(told(projectOf(icons, [file]), facts(FONT.font_covers)), []);
  t.deepEqual(told(projectOf(icons, [file]), facts(null)), [], 'the engine will check it');
  t.is(told(projectOf(icons, [file]), facts('')).length, 1);
  t.true(E.isRight(decodeProjectDocument(projectOf({ text: OWL }, []))), 'stored documents are read');
});

test('an undrawable value is refused, and only its sender sees the character', (t) => {
  const decoded = decodeProjectDocument(projectOf({}, [FONT]));
  if (E.isLeft(decoded)) return t.fail();
  const document = decoded.right;
  const composed = (values: Values) => composeFinal(document, 'tpl_sale', values);
  t.true(E.isRight(composed({ headline: 'ไทย 한국어' })));
  t.true(E.isRight(composed({ headline: PRIVATE, font: 'Acme Icons' })), 'in the font that another value names');
  t.like(composed({ headline: `Sale ${OWL}` }), {
    left: {
      ...{ code: 'invalid_values', field: 'values.headline' },
      message: 'values.headline: has a character that no font has',
      to_requester: 'values.headline: has a character that no font has: U+13153',
    },
  });
  const project = { id: 'proj_1', team_id: 'team_1', account_id: 'acct_1', version: 1, document };
  const command = {
    render_id: 'rend_1',
    name: 'Mine',
    template_id: 'tpl_sale',
    values: { headline: OWL },
    draft: false,
  };
  const meta = { event_id: 'ev_1', occurred_at: 0, correlation_id: 'ev_1' };
  const by = { actor: 'key:key_1', user_id: null, meta, render_type: 'video', fold_version: 2 };
  t.deepEqual(
    decideRequestRender(command, project, by),
    E.left({
      tag: 'values_refused',
      message: 'values.headline: has a character that no font has: U+13153',
      param: 'values.headline',
    }),
  );
});
