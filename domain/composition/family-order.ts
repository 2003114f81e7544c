import { FONT_FAMILIES, type FontFamily } from './font-families.ts';

/** The families for each form of Han characters, best first. Families that the engine lacks are skipped. */
const HAN = {
  simplified: ['Noto Sans SC'],
  traditional: ['Noto Sans TC', 'Noto Sans HK'],
  hong_kong: ['Noto Sans HK', 'Noto Sans TC'],
  japanese: ['Noto Sans JP'],
  korean: ['Noto Sans KR'],
} as const;
type HanForm = keyof typeof HAN;

const BY_SCRIPT: ReadonlyMap<string, HanForm> = new Map([
  ['hans', 'simplified'],
  ['hant', 'traditional'],
  ['jpan', 'japanese'],
  ['kore', 'korean'],
]);
const BY_LANGUAGE: ReadonlyMap<string, HanForm> = new Map([
  ['ja', 'japanese'],
  ['ko', 'korean'],
  ['zh', 'simplified'],
  ['cmn', 'simplified'],
  ['yue', 'hong_kong'],
]);
const BY_REGION: ReadonlyMap<string, HanForm> = new Map([
  ['cn', 'simplified'],
  ['sg', 'simplified'],
  ['my', 'simplified'],
  ['tw', 'traditional'],
  ['hk', 'hong_kong'],
  ['mo', 'hong_kong'],
]);

const hanFormOf = (language: string): HanForm | null => {
  const [tag = ''] = language.toLowerCase().split(/-[0-9a-z]-/);
  const [primary = '', ...subtags] = tag.split('-');
  const usual = BY_LANGUAGE.get(primary) ?? null;
  if (usual === 'japanese' || usual === 'korean') return usual;
  const among = (forms: ReadonlyMap<string, HanForm>): HanForm | null =>
    subtags.map((subtag) => forms.get(subtag)).find((form) => form !== undefined) ?? null;
  const script = among(BY_SCRIPT);
  const region = usual === null ? null : among(BY_REGION);
  if (script === 'traditional') return (region ?? usual) === 'hong_kong' ? 'hong_kong' : script;
  return script ?? region ?? usual;
};

/**
 * The order in which the engine tries its families for a character.
 *
 * @param named the family in the text layer; if it is a font of the project, that font comes before all of these
 */
export const fontFallbackOrder = (named: string, language: string | null): readonly FontFamily[] => {
  const own = FONT_FAMILIES.filter((family) => family === named);
  const others = FONT_FAMILIES.filter((family) => family !== named);
  const form = language === null ? null : hanFormOf(language);
  if (form === null) return [...own, ...others];
  const wanted: readonly string[] = HAN[form];
  const preferred = wanted.flatMap((name) => others.filter((family) => family === name));
  const all: readonly string[] = Object.values(HAN).flat();
  const first = others.findIndex((family) => all.includes(family));
  const rest = others.filter((family) => !preferred.includes(family));
  return [...own, ...rest.slice(0, first), ...preferred, ...rest.slice(first)];
};
