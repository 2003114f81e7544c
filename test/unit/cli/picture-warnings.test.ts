import test from 'ava';
import { isAnimatedPng, svgWarnings } from '../../../cli/catalogue/picture-warnings.ts';
import { PNG_SIGNATURE } from '../../../engine/raster/png-chunks.ts';

const OWN = new Set(['DejaVu Sans Mono']);
const warningsOf = (inner: string) => svgWarnings(`<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`, OWN);
const textIn = (attribute: string) => warningsOf(`<text ${attribute}>W</text>`);

test('an unknown family is a warning, unless a known or generic one follows', (t) => {
  for (const fine of [
    'font-family="DejaVu Sans Mono"',
    `font-family="Arial, 'dejavu sans mono'"`,
    'font-family="Arial, sans-serif"',
    'font-family="DejaVuSansMono-Bold"',
    `font-family="'DejaVu Sans Mono Bold'"`,
    `style="font-family: 'Open Sans', Noto Sans; fill: red"`,
    `style="font-family:&quot;DejaVu Sans Mono&quot;"`,
    'font-family="inherit"',
    `style="font: italic 700 20px/1.2 'DejaVu Sans Mono', serif"`,
    'style="font:inherit"',
    `style="font-family:sans-serif" y="9"`,
    `style='font:9px serif' y='9'`,
    'style="-inkscape-font-specification:Gone"',
    'fill="red"',
  ])
    t.deepEqual(textIn(fine), [], fine);
  for (const [missing, name] of [
    ['font-family="Arial"', '"Arial"'],
    [`font-family='"Open Sans"'`, '"Open Sans"'],
    [`style="fill:red;font-family:'Open Sans',Arial"`, '"Open Sans", "Arial"'],
    ['style="font-family:&quot;Open Sans&quot; !important"', '"Open Sans"'],
    ['style="font-family:&apos;Open Sans&#39;"', '"Open Sans"'],
    [`style="font: italic 700 1.5em/120% 'Open Sans', Arial;fill:red"`, '"Open Sans", "Arial"'],
    ['style="font:bold x-large Gone"', '"Gone"'],
  ] as const)
    t.regex(
      textIn(missing)[0] ?? '',
      new RegExp(`^uses the font ${name}, which neither .* drawn in Noto Sans`),
      missing,
    );
  t.deepEqual(warningsOf('<g font-family="Arial"><path d="M0 0"/></g>'), [], 'without a text no font is used');
  t.is(warningsOf('<style>.a{font-family:Gone}</style><text class="a">W</text>').length, 1);
  t.is(warningsOf('<style>.a{font:16px Gone}</style><text class="a">W</text>').length, 1);
  t.deepEqual(warningsOf('<!-- <text font-family="Arial"/> -->'), []);
});

test('references out of an SVG are warnings; links and references within it are not', (t) => {
  for (const fine of [
    '<image href="data:image/png;base64,AA"/>',
    '<use xlink:href="#a"/>',
    '<rect fill="url(#b)" style="filter:url(&quot;#c&quot;)"/>',
    '<a href="https://example.com/"><rect/></a>',
  ])
    t.deepEqual(warningsOf(fine), [], fine);
  for (const [outside, reference] of [
    ['<image width="5" href="https://example.com/x.png"/>', 'https://example.com/x.png'],
    ['<image xlink:href="file:///etc/hostname"/>', 'file:///etc/hostname'],
    ['<image href="logo.png"/>', 'logo.png'],
    ["<style>@font-face{src:url('https://example.com/a.woff')}</style>", 'https://example.com/a.woff'],
    ['<style>@import "theme.css";</style>', 'theme.css'],
  ] as const)
    t.is(
      warningsOf(outside)[0],
      `refers to the external file "${reference}", which is not drawn: embed it as a data URL`,
    );
});

test('one message lists the SVG features that librsvg ignores, and animations', (t) => {
  for (const fine of [
    '<style>@media print{a{fill:red}} @media (prefers-color-scheme: dark){a{fill:red}}</style>',
    '<rect fill="var(--a, red)"/>',
    '<switch><foreignObject/><text>W</text></switch>',
    '<image href="data:image/jpeg;base64,AA"/><image href="data:image/svg+xml;base64,AA"/>',
    '<rect style="fill:rgb(1 2 3);color:red"/>',
  ])
    t.deepEqual(warningsOf(fine), [], fine);
  for (const [lost, name] of [
    ['<text><textPath href="#a">W</textPath></text>', 'text along a path (textPath)'],
    ['<image xlink:href="data:image/webp;base64,AA"/>', 'embedded pictures that are neither PNG nor JPEG'],
    ['<style>:root{--a:red} rect{fill:var(--a)}</style>', 'CSS variables'],
    ['<style>@media screen{rect{fill:red}}</style>', 'CSS in @media'],
    ['<style>:is(rect,a){fill:red}</style>', 'CSS selectors like :is()'],
    ['<rect style="fill:oklch(0.6 0.1 30)"/>', 'colours like oklch() or color()'],
    ['<foreignObject><div/></foreignObject>', 'HTML (foreignObject)'],
    ['<rect fill="var(--a)"/><svg:foreignObject/>', 'CSS variables, HTML (foreignObject)'],
  ] as const)
    t.deepEqual(
      warningsOf(lost),
      [`has ${name}, which is not drawn: export it with plain shapes and colours, or as PNG`],
      lost,
    );
  for (const moving of ['<rect><animate attributeName="x"/></rect>', '<style>@keyframes a{to{opacity:0}}</style>'])
    t.deepEqual(warningsOf(moving), [
      'is animated, but only its first frame is shown: export it as GIF, WebP or a video',
    ]);
});

test('an SVG of a megabyte is scanned in linear time', (t) => {
  for (const part of [
    'font:',
    'font: 1',
    'font:1px ',
    '@media ',
    '&quot;',
    'font-family:"',
    ' var( --',
    '<image href="',
  ])
    t.true(Array.isArray(warningsOf(`<text>${part.repeat(2 ** 20 / part.length)}`)));
});

const chunk = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), body, Buffer.alloc(4)]);
};
const png = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([PNG_SIGNATURE, ...chunks]);

test('a PNG is animated if it declares several frames before its pixels', (t) => {
  const [head, pixels] = [chunk('IHDR', Buffer.alloc(13)), chunk('IDAT', Buffer.alloc(5))];
  const frames = (count: number) => chunk('acTL', Buffer.from([0, 0, 0, count, 0, 0, 0, 0]));
  t.true(isAnimatedPng(png(head, frames(2), pixels)));
  t.false(isAnimatedPng(png(head, frames(1), pixels)));
  t.false(isAnimatedPng(png(head, pixels, frames(2))));
  t.false(isAnimatedPng(Buffer.from('no picture')));
});
