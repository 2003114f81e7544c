import test from 'ava';
import { BOX, inkOf, type Picture, picturesOf, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const shownBy = ({ region, pixels }: Picture): string => `${JSON.stringify(region)} ${pixels.toString('latin1')}`;

/** Texts without spaces; `|` marks the boundary of words. */
const UNSPACED = {
  th: 'สวัสดี|ทุก|คน|ยินดี|ที่|ได้|รู้จัก|ทุก|ท่าน|ใน|วัน|นี้|และ|ขอบคุณ|ที่มา|ร่วม|งาน',
  lo: 'ພາສາ|ລາວ|ເປັນ|ພາສາ|ທາງການ|ຂອງ|ສາທາລະນະລັດ|ປະຊາທິປະໄຕ|ປະຊາຊົນ|ລາວ',
  km: 'ភាសាខ្មែរ|គឺជា|ភាសា|កំណើត|របស់|ជនជាតិ|ខ្មែរ|និង|ជា|ភាសាផ្លូវការ',
  my: 'မြန်မာဘာသာ|စကား|သည်|မြန်မာနိုင်ငံ၏|ရုံးသုံးဘာသာ|စကား|ဖြစ်သည်',
};

test('texts without spaces break between words if wrapped, hyphenated or shrunk', async (t) => {
  const folder = await folderOf(t);
  const box = { ...BOX, width: 300, height: 170 };
  const settings = {
    wrapped: { font_size: 28 },
    hyphenated: { font_size: 28, hyphenate: true },
    shrunk: { font_size: 40, shrink_to_fit: true },
  };
  const cases = Object.entries(UNSPACED).flatMap(([language, marked]) =>
    Object.entries(settings).map(([how, setting]) => ({ id: `${language} ${how}`, marked, language, setting })),
  );
  const picture = await picturesOf(
    folder,
    cases.flatMap(({ id, marked, language, setting }) => [
      textRaster(id, { ...setting, text: marked.replaceAll('|', ''), language }, box),
      textRaster(`${id}, marked`, { ...setting, text: marked.replaceAll('|', '\u200b'), language }, box),
    ]),
  );
  for (const { id } of cases) {
    t.true(shownBy(picture(id)) === shownBy(picture(`${id}, marked`)), id);
    if (id.endsWith('shrunk')) t.true(inkOf(picture(id)).height > 120, id);
  }
});

test('no line begins with a repetition mark', async (t) => {
  const folder = await folderOf(t);
  const box = { ...BOX, width: 130 };
  const picture = await picturesOf(folder, [
    textRaster('wrapped', { text: 'ดีดี ต่าง ๆ' }, box),
    textRaster('as written', { text: 'ดีดี\nต่าง ๆ' }),
  ]);
  t.true(shownBy(picture('wrapped')) === shownBy(picture('as written')));
});

test('Chinese and Japanese lines follow the rules for line ends, on one baseline', async (t) => {
  const folder = await folderOf(t);
  const not_first = [...'、。）」！ー々ぁッｧ゛…％〜～·'];
  const not_last = [...'（「《“￥$('];
  const broken = [
    ...not_first.map((character) => `一二三\n四${character}五六`),
    ...not_last.map((character) => `一二三\n${character}四五六`),
    '一二三 四\n12月五六',
  ];
  const faces = ['Noto Sans', 'Noto Sans JP'];
  const cases = faces.flatMap((font_family) =>
    broken.map((text) => ({ id: `${text} in ${font_family}`, text, font_family })),
  );
  const picture = await picturesOf(
    folder,
    cases.flatMap(({ id, text, font_family }) => [
      textRaster(id, { text, font_family }),
      textRaster(`${id}, wrapped`, { text: text.replace('\n', ''), font_family }, { ...BOX, width: 170 }),
    ]),
  );
  for (const { id } of cases) t.true(shownBy(picture(`${id}, wrapped`)) === shownBy(picture(id)), id);
});

test('Hangul written in single letters is drawn in syllables', async (t) => {
  const folder = await folderOf(t);
  const text = 'a한글 각';
  const picture = await picturesOf(
    folder,
    ['NFC', 'NFD'].map((form) => textRaster(form, { text: text.normalize(form) })),
  );
  t.true(shownBy(picture('NFD')) === shownBy(picture('NFC')));
});
