import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { NAME_PATTERN, nameFault } from '../../../domain/shape/text-rules.ts';
import { projectJson, storedJson, templateJson } from './_project.ts';

const CONTROLS = [0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x1f, 0x7f, 0x80, 0x85, 0x9f];
const LINES = [0x2028, 0x2029];
const DIRECTIONS = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];

test('a refused name says which control character it has, and where', (t) => {
  const named = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const [codes, called] of [
    [CONTROLS, 'control characters'],
    [LINES, 'line separators'],
    [DIRECTIONS, 'characters that turn the direction of text'],
  ] as const) {
    for (const code of codes) {
      const name = `🎬a${String.fromCharCode(code)}b`;
      t.is(nameFault(name), `must not contain ${called} (${named(code)} at position 3)`);
      t.notRegex(name, new RegExp(NAME_PATTERN, 'u'), named(code));
    }
  }
  t.is(
    nameFault('sale\u202egpj.exe'),
    'must not contain characters that turn the direction of text (U+202E at position 5)',
  );
});

test('names of every script are valid, with direction marks, joiners and emoji', (t) => {
  for (const name of [
    'Spring sale, Vienna',
    'Été – « soldes »',
    'מבצע אביב\u200f (2026)',
    'تخفيضات الربيع\u061c 50%',
    'Sale\u200e!',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩\u200d👩\u200d👧\u200d👦 ❤️',
    'ズ\u00a0春\u3000セール',
    ' ',
  ]) {
    t.is(nameFault(name), null, name);
    t.regex(name, new RegExp(NAME_PATTERN, 'u'));
  }
});

const FIELD = { key: 'headline', kind: 'text', default_value: 'Hi', target: { layer: 'title', property: 'text' } };

const NAMED = projectJson({
  name: 'Summer\u202esale',
  assets: [
    { id: 'clip', kind: 'video', file: 'assets/clip\u2028.mp4' },
    { ...storedJson('logo', 'image'), file_name: 'logo\u202egnp.exe' },
    { ...storedJson('other-logo', 'image'), file_name: 'logo\u0007.png' },
  ],
  templates: [templateJson({ name: 'Sale\n', fields: [{ ...FIELD, label: 'Head\tline', description: 'Two\nlines' }] })],
});

test('an import reports every invalid name; texts and descriptions keep their lines', (t) => {
  const decoded = decodeProjectFile(NAMED);
  t.deepEqual(E.isLeft(decoded) ? decoded.left.map(faultText) : [], [
    'assets[2].file_name: must not contain the control character U+0007',
    'name: must not contain characters that turn the direction of text (U+202E at position 7)',
    'assets[0].file: must not contain line separators (U+2028 at position 12)',
    'assets[1].file_name: must not contain characters that turn the direction of text (U+202E at position 5)',
    'templates[0].name: must not contain control characters (U+000A at position 5)',
    'templates[0].fields[0].label: must not contain control characters (U+0009 at position 5)',
  ]);
});

test('a stored document with names that are invalid today is still read', (t) => {
  const { assets: _assets, ...rest } = NAMED;
  const stored = {
    ...rest,
    assets: [storedJson('clip', 'video'), { ...storedJson('logo', 'image'), file_name: 'a\u202eb.png' }],
  };
  const decoded = decodeProjectDocument(stored);
  t.deepEqual(E.isLeft(decoded) ? decoded.left.map(faultText) : [], []);
  if (E.isRight(decoded)) t.is(decoded.right.name, 'Summer\u202esale');
});
