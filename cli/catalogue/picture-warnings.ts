import { FONT_FAMILIES } from '../../domain/composition/font-families.ts';
import { pngChunks } from '../../render-workers/engine/raster/png-chunks.ts';

const GENERIC = ['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'system-ui', 'math', 'emoji'];
/** Keywords of CSS, and values that are computed: they name no family. */
const NO_FAMILY = /^(?:inherit|initial|unset|revert|ui-[a-z-]+|var\(.*)$/;
/** Longer lists are cut in a message. */
const MAX_NAMED = 3;

const named = (found: readonly string[]): string => {
  const all = [...new Set(found)];
  const shown = all.slice(0, MAX_NAMED).map((one) => `"${one.slice(0, 80)}"`);
  return [...shown, ...(all.length > MAX_NAMED ? [`${all.length - MAX_NAMED} more`] : [])].join(', ');
};

/** `font-family` as an attribute, whose quotes may hold others, or in CSS. */
const FAMILIES = /font-family\s*(?:=\s*(?:"([^"]*)"|'([^']*)')|:\s*((?:"[^"]*"|'[^']*'|&quot;|[^;}"'<])+))/gi;

const familiesAskedFor = (svg: string): readonly (readonly string[])[] =>
  [...svg.matchAll(FAMILIES)].map(([, double, single, css]) =>
    (double ?? single ?? css ?? '')
      .replaceAll('&quot;', '"')
      .replace(/!important/i, '')
      .split(',')
      .map((name) =>
        name
          .trim()
          .replace(/^(["'])(.*)\1$/, '$2')
          .trim(),
      )
      .filter((name) => name !== '' && !NO_FAMILY.test(name)),
  );

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

/** One that nothing closes reaches to the end. */
const withoutComments = (svg: string): string => {
  const [before = '', ...comments] = svg.split('<!--');
  const after = comments.map((comment) => {
    const end = comment.indexOf('-->');
    return end === -1 ? '' : comment.slice(end + '-->'.length);
  });
  return before + after.join('');
};

/**
 * Warnings of an SVG that is not drawn as its author expects, as messages that follow its name.
 *
 * @param own families of the project's fonts
 */
export const svgWarnings = (text: string, own: ReadonlySet<string>): readonly string[] => {
  const svg = withoutComments(text);
  const known = new Set([...GENERIC, ...FONT_FAMILIES, ...own].map((name) => name.toLowerCase()));
  const unknown = /<(?:[a-z]+:)?text\b/i.test(svg)
    ? familiesAskedFor(svg).flatMap((names) => (names.some((name) => known.has(name.toLowerCase())) ? [] : names))
    : [];
  const outside = referencesOutside(svg);
  return [
    ...(unknown.length === 0
      ? []
      : [
          `asks for ${named(unknown)}, which neither the project nor the engine has: its text is drawn in Noto Sans; add the font to the project`,
        ]),
    ...(outside.length === 0
      ? []
      : [`refers to ${named(outside)} outside of it, which is not drawn: embed it as a data URL`]),
  ];
};

/** Whether a PNG is animated: it says so before its pixels. */
export const isAnimatedPng = (png: Buffer): boolean => {
  for (const { type, body } of pngChunks(png)) {
    if (type === 'IDAT') return false;
    if (type === 'acTL') return body.length >= 4 && body.readUInt32BE(0) > 1;
  }
  return false;
};

export const STILL_PNG =
  'is an animated PNG whose animation is damaged or larger than 33 million pixels: only its still picture is shown; save it anew';
