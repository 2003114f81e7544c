import { pattern } from '../shape/shape.ts';

export const LocalId = pattern(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, "-" or "_"');
/**
 * A well-formed BCP 47 tag: language, script, region, variants, extensions. Unknown languages are allowed: fonts and
 * hyphenation patterns ignore them.
 */
export const LanguageTag = pattern(
  /^[A-Za-z]{2,3}(-[A-Za-z]{3}){0,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?(-([A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3})){0,4}(-[0-9A-WYZa-wyz](-[A-Za-z0-9]{2,8}){1,4}){0,4}(-[Xx](-[A-Za-z0-9]{1,8}){1,4})?$/,
  'a language tag like de, en-GB or zh-Hant-HK',
);
export const Color = pattern(/^#[0-9A-Fa-f]{6}$/, 'a colour like #E30613');
