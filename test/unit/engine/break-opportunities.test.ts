import test from 'ava';
import { withBreakOpportunities } from '../../../engine/raster/break-opportunities.ts';

/** `|` marks an allowed break, `~` a forbidden one. */
const shown = (text: string): string =>
  withBreakOpportunities(text).replaceAll('\u200b', '|').replaceAll('\u2060', '~');

test('words of Thai, Lao, Khmer and Burmese can break apart', (t) => {
  t.is(shown('สวัสดีทุกคน'), 'สวัสดี|ทุก|คน');
  t.is(shown('ພາສາລາວ'), 'ພາສາ|ລາວ');
  t.is(shown('ជនជាតិខ្មែរ'), 'ជនជាតិ|ខ្មែរ');
  t.is(shown('မြန်မာနိုင်ငံ၏ရုံး'), 'မြန်မာနိုင်ငံ၏|ရုံး');
});

test('numbers, punctuation and repetition marks stay with their words', (t) => {
  t.is(shown('ราคา100บาท (ไทย)ดี'), 'ราคา100บาท (ไทย)ดี');
  t.is(shown('มากๆ ต่าง ๆ กรุงเทพฯ'), 'มากๆ ต่าง ~ๆ กรุงเทพฯ');
  t.is(shown('ផ្សេងៗ។'), 'ផ្សេងៗ។');
});

test('marked text and other scripts are unchanged', (t) => {
  for (const text of ['', 'Two words', 'a ~ b', 'col·lecció', '漢字かな交じり文', 'สวัสดี\u200bทุก\u200bคน', 'שלום'])
    t.is(withBreakOpportunities(text), text);
  t.is(shown('田中·太郎、10～12時'), '田中~·太郎、10~～12時');
});

test('ten thousand characters without a space are processed quickly', (t) => {
  const began_ms = performance.now();
  for (const unit of ['สวัสดีทุกคน', 'ก', '្ក', 'ကျွန်', 'ก漢', 'ก😀']) {
    const text = unit.repeat(Math.floor(10_000 / unit.length));
    t.is(withBreakOpportunities(text).replaceAll('\u200b', ''), text);
  }
  t.true(performance.now() - began_ms < 5_000);
});
