import test from 'ava';
import { isAnimatedPng, svgWarnings } from '../../../cli/catalogue/picture-warnings.ts';

const OWN = new Set(['DejaVu Sans Mono']);
const warningsOf = (inner: string) => svgWarnings(`<svg xmlns="http://www.w3.org/2000/svg">${inner}</svg>`, OWN);
const textIn = (attribute: string) => warningsOf(`<text ${attribute}>W</text>`);

test('a family that nobody has is told, unless the list names one that is there or a generic one', (t) => {
  for (const fine of [
    'font-family="DejaVu Sans Mono"',
    `font-family="Arial, 'dejavu sans mono'"`,
    'font-family="Arial, sans-serif"',
    `style="font-family: 'Open Sans', Noto Sans; fill: red"`,
    `style="font-family:&quot;DejaVu Sans Mono&quot;"`,
    'font-family="inherit"',
    'fill="red"',
  ])
    t.deepEqual(textIn(fine), [], fine);
  for (const [missing, name] of [
    ['font-family="Arial"', '"Arial"'],
    [`font-family='"Open Sans"'`, '"Open Sans"'],
    [`style="fill:red;font-family:'Open Sans',Arial"`, '"Open Sans", "Arial"'],
    ['style="font-family:&quot;Open Sans&quot; !important"', '"Open Sans"'],
  ] as const)
    t.regex(textIn(missing)[0] ?? '', new RegExp(`^asks for ${name}, which neither .* drawn in Noto Sans`), missing);
  t.deepEqual(warningsOf('<g font-family="Arial"><path d="M0 0"/></g>'), [], 'without a text no font is used');
  t.is(warningsOf('<style>.a{font-family:Gone}</style><text class="a">W</text>').length, 1);
  t.deepEqual(warningsOf('<!-- <text font-family="Arial"/> -->'), []);
});

test('what lies outside of an SVG is told, and nothing within it, nor a link', (t) => {
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
    t.is(warningsOf(outside)[0], `refers to "${reference}" outside of it, which is not drawn: embed it as a data URL`);
});

const chunk = (type: string, body: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  return Buffer.concat([length, Buffer.from(type, 'latin1'), body, Buffer.alloc(4)]);
};
const png = (...chunks: readonly Buffer[]): Buffer => Buffer.concat([Buffer.alloc(8), ...chunks]);

test('a PNG is animated where it says that before its pixels, of more than one', (t) => {
  const [head, pixels] = [chunk('IHDR', Buffer.alloc(13)), chunk('IDAT', Buffer.alloc(5))];
  const frames = (count: number) => chunk('acTL', Buffer.from([0, 0, 0, count, 0, 0, 0, 0]));
  t.true(isAnimatedPng(png(head, frames(2), pixels)));
  t.false(isAnimatedPng(png(head, frames(1), pixels)));
  t.false(isAnimatedPng(png(head, pixels, frames(2))));
  t.false(isAnimatedPng(Buffer.from('no picture')));
});
