import type { HostileFile } from '../hostile-file.ts';
import { sized, svg, unsized, withSize } from './document.ts';

const dashed = (length: string, dash: string): string =>
  `<path d="M0 0H${length}" stroke="#000" stroke-width="9" stroke-dasharray="${dash}"/>`;

const filtered = (filter: string, size = '4000'): string =>
  withSize(
    size,
    size,
    `<filter id="f" x="0" y="0" width="1" height="1">${filter}</filter><rect width="${size}" height="${size}" fill="#c55" filter="url(#f)"/>`,
  );

const TURBULENCE = '<feTurbulence type="fractalNoise" baseFrequency=".9" numOctaves="10"/>';

export const COSTLY_SVG: readonly HostileFile[] = [
  svg('time', 'dashes-unsized', '10^7 dashes, of which the bounds are asked, in 130 bytes', () =>
    unsized('<path d="M0 0L8e6 7e6" stroke="#000" stroke-dasharray="1"/>'),
  ),
  svg('time', 'dashes', '10^7 dashes, most of them outside', () => sized(dashed('8e6V9H0V0'.repeat(9), '1 2'))),
  svg('time', 'dashes-on-curves', 'dashes on a curve of many turns', () =>
    unsized(`<path d="M0 0${'c9e6 9e6 -9e6 9e6 0 0'.repeat(50)}" fill="none" stroke="#000" stroke-dasharray=".5"/>`),
  ),
  svg('time', 'dashes-of-next-to-nothing', 'dashes of 10^-30', () => unsized(dashed('1e6', '1e-30'))),
  svg('count', 'dash-array-of-many', '100,000 lengths of dashes', () => unsized(dashed('1e7', '1 2 '.repeat(50_000)))),
  svg('count', 'long-path', 'a path of 400,000 lines, stroked round', () =>
    sized(
      `<path d="M0 0${'h9v9h-9v-9'.repeat(100_000)}" fill="none" stroke="#000" stroke-width="50" stroke-linejoin="round"/>`,
    ),
  ),
  svg('time', 'crossing-lines', '3,000 lines that all cross each other, as one area', () =>
    sized(
      `<path fill-rule="evenodd" d="M0 0${Array.from({ length: 12_000 }, (_, n) => `L${(n * 37) % 101} ${(n * 53) % 103}`).join('')}z"/>`,
    ),
  ),
  svg('time', 'crossing-lines-large', '30,000 crossing lines over 9,000 pixels', () =>
    withSize(
      '9000',
      '9000',
      `<path fill-rule="evenodd" stroke="#000" d="M0 0${Array.from({ length: 30_000 }, (_, n) => `L${(n * 3701) % 9001} ${(n * 5303) % 8999}`).join('')}z"/>`,
    ),
  ),
  svg('count', 'arcs', '50,000 arcs of changing radius', () =>
    unsized(`<path fill="none" stroke="#000" d="M0 0${'a1e9 1 33 1 0 .1 .1'.repeat(50_000)}"/>`),
  ),
  svg('count', 'rectangles', '50,000 rectangles over 9,000 by 9,000 pixels', () =>
    withSize('9000', '9000', '<rect width="9000" height="9000"/>'.repeat(30_000)),
  ),
  svg('time', 'transparent-rectangles', '20,000 transparent gradients over 9,000 by 9,000 pixels', () =>
    withSize(
      '9000',
      '9000',
      `<radialGradient id="a"><stop stop-color="#f00" stop-opacity=".5"/></radialGradient>${'<rect width="9000" height="9000" fill="url(#a)"/>'.repeat(20_000)}`,
    ),
  ),
  svg('time', 'turbulence', 'ten octaves of noise over 81 million pixels', () => filtered(TURBULENCE, '9000')),
  svg('time', 'turbulence-forty-times', 'forty noises on each other', () => filtered(TURBULENCE.repeat(40))),
  svg('time', 'turbulence-of-endless-octaves', 'noise of 2^31 octaves', () =>
    filtered('<feTurbulence baseFrequency=".9" numOctaves="2147483647"/>', '500'),
  ),
  svg('time', 'morphology', 'the widest of 2,000 pixels around each of 16 million', () =>
    filtered('<feMorphology operator="dilate" radius="1000"/>'),
  ),
  svg('time', 'morphology-twenty-times', 'twenty dilations of 200 pixels', () =>
    filtered('<feMorphology operator="dilate" radius="200"/>'.repeat(20), '1000'),
  ),
  svg('time', 'blur', 'a blur of 10^6 pixels', () => filtered('<feGaussianBlur stdDeviation="1000000"/>')),
  svg('time', 'blurs', '300 blurs on each other', () => filtered('<feGaussianBlur stdDeviation="400"/>'.repeat(300))),
  svg('time', 'convolution', 'a kernel of 300 by 300', () =>
    filtered(`<feConvolveMatrix order="300" kernelMatrix="${'1 '.repeat(90_000)}"/>`, '1000'),
  ),
  svg('size', 'filter-of-a-huge-region', 'a filter of a billion pixels on each side', () =>
    sized(
      '<filter id="f" filterUnits="userSpaceOnUse" x="-1e9" y="-1e9" width="2e9" height="2e9"><feFlood flood-color="#f00"/><feGaussianBlur stdDeviation="9"/></filter><rect width="9" height="9" filter="url(#f)"/>',
    ),
  ),
  svg('count', 'filter-of-many-steps', '5,000 steps that each keep their picture', () =>
    filtered(
      Array.from({ length: 5000 }, (_, n) => `<feOffset dx="${n % 3}" in="SourceGraphic" result="r${n}"/>`).join(''),
      '2000',
    ),
  ),
  svg('count', 'filter-merges', 'a filter that merges 20,000 pictures', () =>
    filtered(`<feMerge>${'<feMergeNode in="SourceGraphic"/>'.repeat(20_000)}</feMerge>`, '1000'),
  ),
  svg('count', 'filters-in-a-row', 'an element with 2,000 filters', () =>
    withSize(
      '2000',
      '2000',
      `<filter id="f"><feGaussianBlur stdDeviation="50"/></filter><rect width="2000" height="2000" style="filter:${'url(#f) '.repeat(2000)}"/>`,
    ),
  ),
  svg('time', 'lighting', 'light over 16 million pixels, thirty times', () =>
    filtered('<feDiffuseLighting surfaceScale="9"><fePointLight x="9" y="9" z="9"/></feDiffuseLighting>'.repeat(30)),
  ),
  svg('time', 'displacement', 'a displacement by noise, of 10^9 pixels', () =>
    filtered(`${TURBULENCE}<feDisplacementMap in="SourceGraphic" scale="1e9"/>`),
  ),
  svg('size', 'tile-of-one-pixel', 'one pixel repeated over 81 million', () =>
    filtered('<feFlood x="0" y="0" width="1" height="1"/><feTile/>', '9000'),
  ),
  svg('size', 'text-of-a-million-letters', 'a text of a million letters', () =>
    sized(`<text y="50">${'a'.repeat(1_000_000)}</text>`),
  ),
  svg(
    'size',
    'text-of-a-million-letters-unsized',
    'a text of a million letters of all scripts, of which the bounds are asked',
    () => unsized(`<text>${'aשع漢🙂'.repeat(80_000)}</text>`),
  ),
  svg('size', 'text-of-a-huge-size', 'letters of 10^8 pixels', () =>
    unsized('<text font-size="100000000">WWWW</text>'),
  ),
  svg('size', 'text-of-a-huge-size-sized', 'letters of 10^5 pixels, outlined', () =>
    withSize(
      '9000',
      '9000',
      `<text y="9000" font-size="100000" stroke="#000" stroke-dasharray="1">${'@'.repeat(100)}</text>`,
    ),
  ),
  svg('count', 'spans', '60,000 spans, each with a style', () =>
    sized(`<text>${'<tspan font-size="9" x="3" fill="url(#a)">a</tspan>'.repeat(40_000)}</text>`),
  ),
  svg('count', 'combining-marks', 'a letter with 300,000 marks', () =>
    unsized(`<text>a${'\u0301'.repeat(300_000)}</text>`),
  ),
  svg('count', 'bidirectional-embeddings', '100,000 changes of direction', () =>
    unsized(`<text>${'\u202ea\u202bש'.repeat(50_000)}</text>`),
  ),
  svg('count', 'styles', '3,000 rules against 10,000 elements', () =>
    sized(
      `<style>${Array.from({ length: 3000 }, (_, n) => `g g rect:not(.a${n}) ~ rect + rect{fill:#${(n % 900) + 100}}`).join('')}</style><g><g>${'<rect/>'.repeat(10_000)}</g></g>`,
    ),
  ),
  svg('time', 'selectors-that-go-back', 'selectors that try each of 1,000 ancestors again', () =>
    sized(
      `<style>${'g '.repeat(100)}a{fill:red}${'g>g '.repeat(100)}b{fill:red}</style>${'<g>'.repeat(250)}${'<rect class="b"/>'.repeat(20_000)}${'</g>'.repeat(250)}`,
    ),
  ),
  svg('count', 'attributes', 'an element with 100,000 attributes', () =>
    sized(`<rect ${Array.from({ length: 100_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`),
  ),
  svg('size', 'attribute-of-a-mebibyte', 'an attribute of 1.5 MiB', () =>
    sized(`<rect id="${'a'.repeat(1_500_000)}"/>`),
  ),
  svg('count', 'elements', '300,000 elements', () => unsized('<g/>'.repeat(400_000))),
  svg('size', 'square-of-2-31', '2^31 pixels on each side', () => withSize('2147483647', '2147483647', ''), {
    expects: 'refused',
  }),
  svg('size', 'square-of-1e30', '10^30 pixels on each side', () => withSize('1e30', '1e30', ''), {
    expects: 'refused',
  }),
  svg('size', 'square-of-light-years', 'a size in inches and em that overflows', () =>
    withSize('1e38in', '1e38em', ''),
  ),
  svg('lie', 'size-of-nothing', 'a width of 0', () => withSize('0', '0', '')),
  svg('lie', 'negative-size', 'negative sides', () =>
    withSize('-100', '-100', '<rect width="-1" height="-1" rx="-9"/>'),
  ),
  svg('lie', 'size-that-is-no-number', 'NaN and Infinity as sides', () => withSize('NaN', 'Infinity', '')),
  svg('size', 'one-by-a-million', 'a picture 30,000 times as wide as high', () =>
    withSize('30000', '1', '<rect width="99" height="1"/>'),
  ),
  svg('size', 'view-box-of-a-point', 'a view box of 10^-30', () =>
    withSize('9000', '9000', '<circle r="1"/>', 'viewBox="0 0 1e-30 1e-30"'),
  ),
  svg('size', 'view-box-without-end', 'a view box of 10^38', () =>
    unsized('<svg viewBox="0 0 3e38 3e38"><rect width="3e38" height="3e38" transform="scale(1e30)"/></svg>'),
  ),
  svg('lie', 'endless-rectangle', 'an unsized rectangle of 10^30', () => unsized('<rect width="1e30" height="1e30"/>')),
  svg('lie', 'transform-to-nothing', 'transforms without an inverse', () =>
    unsized('<g transform="matrix(0 0 0 0 0 0)"><rect width="9" height="9" stroke="#000" stroke-dasharray="1"/></g>'),
  ),
  svg('size', 'image-of-a-bomb', 'an embedded SVG that is a bomb', () =>
    sized(
      `<image width="9" height="9" href="data:image/svg+xml;base64,${Buffer.from(unsized(dashed('1e8', '.1'))).toString('base64')}"/>`,
    ),
  ),
];
