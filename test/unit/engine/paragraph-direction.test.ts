import test from 'ava';
import { withDirections, withoutNeedlessMarks } from '../../../engine/raster/paragraph-direction.ts';

const ALIGNS = ['left', 'center', 'right', 'start', 'end', 'justify'] as const;
const LEFT_TO_RIGHT = {
  left: 'left',
  center: 'center',
  right: 'right',
  start: 'left',
  end: 'right',
  justify: 'left',
} as const;
const [LRM, RLM, RLI, FSI, PDI] = ['\u200e', '\u200f', '\u2067', '\u2068', '\u2069'];
const HEBREW = 'שלום';

test('a text without right-to-left script is unchanged', (t) => {
  for (const text of ['', 'Sale\ntoday', '中文 🔥', '100 %', 'Δοκιμή\u2029हिन्दी'])
    for (const align of ALIGNS) {
      const side = LEFT_TO_RIGHT[align];
      t.deepEqual(withDirections(text, align), { text, pango_align: side, side, mark: '' });
    }
});

test('a text with one direction is aligned to one side', (t) => {
  const of = (text: string) => ALIGNS.map((align) => withDirections(text, align).side);
  t.deepEqual(of(HEBREW), ['left', 'center', 'right', 'right', 'left', 'right']);
  t.deepEqual(of(`100 %\n${HEBREW}\n\n12`), ['left', 'center', 'right', 'right', 'left', 'right']);
  t.deepEqual(of(`iPhone ${HEBREW}`), ['left', 'center', 'right', 'left', 'right', 'left']);
  t.deepEqual(of(`${HEBREW}\nabc`), ['left', 'center', 'right', 'center', 'center', 'center']);
});

test("the first letter or mark outside isolates decides a paragraph's direction", (t) => {
  const directions = (text: string) =>
    withDirections(`${text}\n${HEBREW}`, 'start')
      .text.split('\n')
      .map(([first]) => (first === RLM ? 'rtl' : 'ltr'));
  for (const text of [
    HEBREW,
    `1. ${HEBREW} abc`,
    `${RLM}abc`,
    '\u061c15%',
    '𞤀𞤣',
    'ߒߞߏ',
    'ܫܠܡܐ',
    `🇮🇱 ${HEBREW}`,
    '12',
    '(!)',
  ])
    t.deepEqual(directions(text), ['rtl', 'rtl'], text);
  for (const text of ['abc', `abc ${HEBREW}`, `${LRM}${HEBREW}`, `${FSI}${HEBREW}${PDI} joined`])
    t.deepEqual(directions(text), ['ltr', 'rtl'], text);
  t.deepEqual(directions(`${FSI}${HEBREW}${PDI}`), ['rtl', 'rtl']);
});

test('spaces at the ends of right-to-left paragraphs are removed, line separators stay', (t) => {
  const text = `${HEBREW} \u2028 \t\n  \nabc  d \u2028\u2028`;
  t.is(withDirections(text, 'start').text, `${RLM}${HEBREW} \u2028\n\n${LRM}abc  d \u2028\u2028`);
});

test('alignment to one side isolates the right-to-left paragraphs of a bidirectional text', (t) => {
  const text = `abc\n${HEBREW}${PDI} ${FSI}a${PDI}\n\n!`;
  const isolated = `${LRM}abc\n${LRM}${RLI}${HEBREW} ${FSI}a${PDI}${PDI}\n\n${LRM}${RLI}!${PDI}`;
  t.deepEqual(withDirections(text, 'left'), { text: isolated, pango_align: 'left', side: 'left', mark: LRM });
  t.deepEqual(withDirections(text, 'right'), { text: isolated, pango_align: 'right', side: 'right', mark: LRM });
});

test('only marks before a left-to-right letter are needless', (t) => {
  const text = `${LRM}abc\n${LRM}1 ${LRM}b\n${RLM}${HEBREW}\u2029${LRM}d ${HEBREW}\n${LRM}${HEBREW}`;
  t.is(withoutNeedlessMarks(text), `abc\n${LRM}1 ${LRM}b\n${RLM}${HEBREW}\u2029d ${HEBREW}\n${LRM}${HEBREW}`);
});
