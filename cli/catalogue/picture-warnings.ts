import { FONT_FAMILIES } from '../../domain/composition/font-families.ts';
import { PNG_SIGNATURE, pngChunks } from '../../engine/raster/png-chunks.ts';

const GENERIC = ['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'system-ui', 'math', 'emoji'];
/** CSS keywords and computed values are not family names. */
const NO_FAMILY = /^(?:inherit|initial|unset|revert|ui-[a-z-]+|var\(.*)$/;
/** A message lists at most this many names. */
const MAX_NAMED = 3;

const named = (found: readonly string[]): string => {
  const all = [...new Set(found)];
  const shown = all.slice(0, MAX_NAMED).map((one) => `"${one.slice(0, 80)}"`);
  return [...shown, ...(all.length > MAX_NAMED ? [`${all.length - MAX_NAMED} more`] : [])].join(', ');
};

/** A CSS value. Inside an attribute, its quotes are written as `&quot;`. */
const CSS_VALUE = `((?:(?<=[:,\\s])(?:"[^"]*"|'[^']*')|&quot;|[^;}"'<])+)`;
/** Matches `font-family` as an attribute, `font-family` in CSS, and `font` in CSS. */
const FAMILIES = new RegExp(`font-family\\s*(?:=\\s*(?:"([^"]*)"|'([^']*)')|:\\s*${CSS_VALUE})`, 'gi');
const SHORTHANDS = new RegExp(`(?<![\\w-])font\\s*:\\s*${CSS_VALUE}`, 'gi');
/** Matches the part of `font` before the families: it ends with the font size and the optional line height. */
const UNTIL_SIZE =
  /^.*(?<![\w-])(?:\d[\d.]*(?:%|[a-z]+)|medium|larger|smaller|x{0,3}-?(?:small|large))(?:\s*\/\s*[\w.%]+)?\s+/i;
/** If the part before the families is longer than this, the value is ignored as invalid. */
const MAX_SHORTHAND = 200;

const namesIn = (families: string): readonly string[] =>
  families
    .replaceAll('&quot;', '"')
    .replace(/!important/i, '')
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^(["'])(.*)\1$/, '$2')
        .trim(),
    )
    .filter((name) => name !== '' && !NO_FAMILY.test(name));

const familiesAskedFor = (svg: string): readonly (readonly string[])[] => [
  ...[...svg.matchAll(FAMILIES)].map(([, double, single, css]) => namesIn(double ?? single ?? css ?? '')),
  ...[...svg.matchAll(SHORTHANDS)].flatMap(([, css = '']) => {
    const size = UNTIL_SIZE.exec(css.slice(0, MAX_SHORTHAND));
    return size === null ? [] : [namesIn(css.slice(size[0].length))];
  }),
];

/** Features of SVG that librsvg does not draw, with their names in messages. */
const NOT_DRAWN: readonly (readonly [RegExp, string])[] = [
  [/<(?:[\w-]+:)?textPath\b/i, 'text along a path (textPath)'],
  [/\bhref\s*=\s*["']\s*data:image\/(?!png|jpe?g|svg)\w/i, 'embedded pictures that are neither PNG nor JPEG'],
  [/\bvar\(\s*--[\w-]+\s*\)/, 'CSS variables'],
  [/@media(?![^{]*\b(?:print|prefers-))/i, 'CSS in @media'],
  [/@(?:supports|layer|container)\b/i, 'CSS in @supports or @layer'],
  [/:(?:is|where|has)\(/, 'CSS selectors like :is()'],
  [/[\s:"'](?:oklch|oklab|lch|lab|color|color-mix|light-dark)\(/, 'colours like oklch() or color()'],
];
/** librsvg draws no HTML. If the HTML is in a `switch`, it draws the alternative, so no warning is needed. */
const HTML = /<(?:[\w-]+:)?foreignObject\b/i;
const CHOICES = /<(?:[\w-]+:)?switch\b/i;
const MOVING = /<(?:[\w-]+:)?(?:animate|animateTransform|animateMotion|set)\b|@keyframes\b/i;

const notDrawn = (svg: string): readonly string[] => [
  ...NOT_DRAWN.flatMap(([pattern, name]) => (pattern.test(svg) ? [name] : [])),
  ...(HTML.test(svg) && !CHOICES.test(svg) ? ['HTML (foreignObject)'] : []),
];

const REFERENCES = [
  /<(?:[a-z]+:)?(?:image|use|feImage|tref)\b[^<>]*?\bhref\s*=\s*["']\s*([^"']+)["']/gi,
  /\burl\(\s*(?:["']|&quot;)?\s*([^"')&]+)/gi,
  /@import\s+["']([^"']+)["']/gi,
  /<\?xml-stylesheet\b[^<>]*?\bhref\s*=\s*["']([^"']+)["']/gi,
];

const referencesOutside = (svg: string): readonly string[] =>
  REFERENCES.flatMap((pattern) => [...svg.matchAll(pattern)].map(([, reference = '']) => reference.trim())).filter(
    (reference) => reference !== '' && !reference.startsWith('#') && !/^data:/i.test(reference),
  );

/** An unclosed comment extends to the end of the file. */
const withoutComments = (svg: string): string => {
  const [before = '', ...comments] = svg.split('<!--');
  const after = comments.map((comment) => {
    const end = comment.indexOf('-->');
    return end === -1 ? '' : comment.slice(end + '-->'.length);
  });
  return before + after.join('');
};

const withoutGaps = (name: string): string => name.toLowerCase().replace(/[\s-]/g, '');

/** Whether the name is a face of one of the families, as editors write it: `Acme-SemiBold`, `Acme SemiBold`. */
const isFaceOf = (name: string, families: ReadonlySet<string>): boolean =>
  [...families].some((family) => withoutGaps(name).startsWith(withoutGaps(family)));

/**
 * Warns about an SVG that librsvg draws differently than its author expects. The caller puts the file's name before
 * each message.
 *
 * @param own families of the project's fonts
 */
export const svgWarnings = (text: string, own: ReadonlySet<string>): readonly string[] => {
  const svg = withoutComments(text).replace(/&(?:apos|#39|#x27|#34|#x22);/gi, '&quot;');
  const known = new Set([...GENERIC, ...FONT_FAMILIES, ...own].map((name) => name.toLowerCase()));
  const unknown = /<(?:[a-z]+:)?text\b/i.test(svg)
    ? familiesAskedFor(svg).flatMap((names) =>
        names.some((name) => known.has(name.toLowerCase()) || isFaceOf(name, own)) ? [] : names,
      )
    : [];
  const outside = referencesOutside(svg);
  const lost = notDrawn(svg);
  return [
    ...(unknown.length === 0
      ? []
      : [
          `uses the font ${named(unknown)}, which neither the project nor the engine has: its text is drawn in Noto Sans; add the font to the project`,
        ]),
    ...(outside.length === 0
      ? []
      : [`refers to the external file ${named(outside)}, which is not drawn: embed it as a data URL`]),
    ...(lost.length === 0
      ? []
      : [`has ${lost.join(', ')}, which is not drawn: export it with plain shapes and colours, or as PNG`]),
    ...(MOVING.test(svg) ? ['is animated, but only its first frame is shown: export it as GIF, WebP or a video'] : []),
  ];
};

/** A PNG is animated if an acTL chunk with more than one frame comes before the pixels. */
export const isAnimatedPng = (png: Buffer): boolean => {
  if (!png.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return false;
  for (const { type, body } of pngChunks(png)) {
    if (type === 'IDAT') return false;
    if (type === 'acTL') return body.length >= 4 && body.readUInt32BE(0) > 1;
  }
  return false;
};

export const ANIMATED_AVIF_WARNING = 'is an animated AVIF: only its first frame is shown; save it as WebP or a video';

export const ANIMATED_PNG_WARNING =
  'is an animated PNG whose animation is damaged or larger than 33 million pixels: only its first frame is shown; save it again';
