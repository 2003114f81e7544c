import type { HostileFile } from '../hostile-file.ts';
import { doubled, nested, sized, svg, unsized, withSize } from './document.ts';

const group = (id: string, inside: string): string => `<g id="${id}">${inside}</g>`;
const use = (id: string): string => `<use xlink:href="#${id}"/>`;
const RECT = '<rect id="l0" width="9" height="9"/>';
const uses = (levels: number, count: number): string =>
  `<defs>${doubled(levels, count, group, RECT, use)}</defs>${use(`l${levels}`)}`;

const pattern = (id: string, inside: string): string =>
  `<pattern id="${id}" width="9" height="9" patternUnits="userSpaceOnUse">${inside}</pattern>`;
const filled = (id: string): string => `<rect width="9" height="9" fill="url(#${id})"/>`;
const FIRST_PATTERN = pattern('l0', '<rect width="1" height="1"/>');

const masked = (kind: string) => (id: string, inside: string) => `<${kind} id="${id}">${inside}</${kind}>`;
const MASK = '<rect width="90" height="90" fill="#fff"';

const marker = (id: string, inside: string): string =>
  `<marker id="${id}" markerWidth="9" markerHeight="9" overflow="visible">${inside}</marker>`;
const line = (id: string): string =>
  `<path d="M0 0L1 1L2 0L3 1" marker-mid="url(#${id})" marker-start="url(#${id})" stroke="#000"/>`;

const entities = (levels: number, count: number): string =>
  `<!DOCTYPE svg [<!ENTITY e0 "<rect width='9' height='9'/>">${Array.from(
    { length: levels },
    (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(count)}">`,
  ).join('')}]>`;

export const GROWING_SVG: readonly HostileFile[] = [
  svg('recursion', 'use-doubled-unsized', '2^26 rectangles by <use>, of which the bounds are asked', () =>
    unsized(uses(26, 2)),
  ),
  svg('recursion', 'use-doubled', '2^26 rectangles by <use>', () => sized(uses(26, 2))),
  svg('recursion', 'use-tenfold', '10^9 rectangles by <use>', () => unsized(uses(9, 10))),
  svg('recursion', 'use-hundredfold', '100^4 rectangles by <use>', () => sized(uses(4, 100))),
  svg('recursion', 'use-of-itself', 'a <use> within what it uses', () =>
    sized(`<g id="a">${use('a')}<rect width="9" height="9"/></g>`),
  ),
  svg('recursion', 'use-in-a-circle', '100 groups that use each the next, the last the first', () =>
    unsized(Array.from({ length: 100 }, (_, n) => group(`g${n}`, use(`g${(n + 1) % 100}`))).join('')),
  ),
  svg('recursion', 'symbols-doubled', '2^24 <symbol>s, each a viewport of its own', () =>
    unsized(
      doubled(
        24,
        2,
        (id, inside) => `<symbol id="${id}" viewBox="0 0 9 9">${inside}</symbol>`,
        '<symbol id="l0"><circle r="5"/></symbol>',
        use,
      ) + use('l24'),
    ),
  ),
  svg('recursion', 'uses-with-opacity', '4^9 groups, each drawn on a surface of its own', () =>
    withSize(
      '4000',
      '4000',
      `<defs>${doubled(9, 4, (id, inside) => `<g id="${id}" opacity=".9">${inside}</g>`, RECT, use)}</defs>${use('l9')}`,
    ),
  ),
  svg('recursion', 'patterns-in-patterns', '4^10 patterns, each filled with others', () =>
    sized(doubled(10, 4, pattern, FIRST_PATTERN, filled) + filled('l10')),
  ),
  svg('recursion', 'patterns-in-patterns-unsized', '8^8 patterns, of which the bounds are asked', () =>
    unsized(doubled(8, 8, pattern, FIRST_PATTERN, filled) + filled('l8')),
  ),
  svg('recursion', 'pattern-of-itself', 'a pattern that is filled with itself', () =>
    sized(pattern('a', filled('a')) + filled('a')),
  ),
  svg('size', 'pattern-of-tiny-tiles', 'a pattern whose tiles are a millionth of a pixel', () =>
    sized(
      '<pattern id="a" width="1e-6" height="1e-6" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern><rect width="100" height="100" fill="url(#a)"/>',
    ),
  ),
  svg('size', 'pattern-of-a-huge-tile', 'a pattern whose tile has 2^30 pixels on a side', () =>
    sized(
      '<pattern id="a" width="1073741824" height="1073741824" patternUnits="userSpaceOnUse"><rect width="1" height="1"/></pattern><rect width="100" height="100" fill="url(#a)"/>',
    ),
  ),
  svg('recursion', 'masks-in-masks', '4^10 masks', () =>
    sized(
      `${doubled(10, 4, masked('mask'), `<mask id="l0">${MASK}/></mask>`, (id) => `${MASK} mask="url(#${id})"/>`)}${MASK} mask="url(#l10)"/>`,
    ),
  ),
  svg('recursion', 'masks-in-masks-large', '2^12 masks of 9,000 by 9,000 pixels', () =>
    withSize(
      '9000',
      '9000',
      `${doubled(12, 2, masked('mask'), `<mask id="l0">${MASK}/></mask>`, (id) => `<rect width="9000" height="9000" fill="#fff" mask="url(#${id})"/>`)}<rect width="9000" height="9000" mask="url(#l12)"/>`,
    ),
  ),
  svg('recursion', 'mask-of-itself', 'a mask that is masked by itself', () =>
    sized(`<mask id="a" mask="url(#a)">${MASK} mask="url(#a)"/></mask>${MASK} mask="url(#a)"/>`),
  ),
  svg('recursion', 'clips-in-clips', '4^11 clip paths', () =>
    sized(
      `${doubled(11, 4, masked('clipPath'), `<clipPath id="l0">${MASK}/></clipPath>`, (id) => `${MASK} clip-path="url(#${id})"/>`)}${MASK} clip-path="url(#l11)"/>`,
    ),
  ),
  svg('recursion', 'markers-in-markers', '8^9 markers', () =>
    sized(doubled(9, 2, marker, marker('l0', '<circle r="1"/>'), line) + line('l9')),
  ),
  svg('recursion', 'markers-in-markers-unsized', '8^9 markers, of which the bounds are asked', () =>
    unsized(doubled(9, 2, marker, marker('l0', '<circle r="1"/>'), line) + line('l9')),
  ),
  svg('count', 'markers-on-a-long-path', 'a marker at each of 300,000 points', () =>
    sized(
      `${marker('a', '<circle r="9" fill="url(#b)"/>')}<radialGradient id="b"><stop stop-color="#f00"/></radialGradient><path marker-mid="url(#a)" d="M0 0${'h1h-1'.repeat(150_000)}"/>`,
    ),
  ),
  svg('recursion', 'gradients-in-a-circle', 'gradients that inherit from each other', () =>
    sized(
      `<linearGradient id="a" xlink:href="#b"/><linearGradient id="b" xlink:href="#a"/><rect width="9" height="9" fill="url(#a)"/>`,
    ),
  ),
  svg('count', 'gradients-in-a-row', 'a gradient that inherits over 20,000 others', () =>
    sized(
      `${Array.from({ length: 20_000 }, (_, n) => `<linearGradient id="g${n}" xlink:href="#g${n + 1}"/>`).join('')}<rect width="9" height="9" fill="url(#g0)"/>`,
    ),
  ),
  svg('count', 'gradient-of-many-stops', 'a gradient of 50,000 stops, used 1,000 times', () =>
    sized(
      `<radialGradient id="a">${'<stop offset=".5"/>'.repeat(50_000)}</radialGradient>${'<rect width="99" height="99" fill="url(#a)"/>'.repeat(1000)}`,
    ),
  ),
  svg('recursion', 'billion-laughs', '4^30 references to entities', () => sized('<text>&e30;</text>', entities(30, 4))),
  svg('recursion', 'billion-laughs-of-elements', '10^7 elements by entities', () => sized('&e7;', entities(7, 10))),
  svg('count', 'quadratic-entity', 'one entity of 100,000 letters, 10,000 times', () =>
    sized(`<text>${'&a;'.repeat(10_000)}</text>`, `<!DOCTYPE svg [<!ENTITY a "${'a'.repeat(100_000)}">]>`),
  ),
  svg('recursion', 'entity-of-itself', 'an entity that is within itself', () =>
    sized('&a;', '<!DOCTYPE svg [<!ENTITY a "&b;"><!ENTITY b "&a;">]>'),
  ),
  svg('recursion', 'parameter-entities', 'entities of the DTD that double', () =>
    sized(
      '&a;',
      `<!DOCTYPE svg [<!ENTITY % p0 "x">${Array.from({ length: 25 }, (_, n) => `<!ENTITY % p${n + 1} "%p${n};%p${n};">`).join('')}<!ENTITY a "%p25;">]>`,
    ),
  ),
  svg('depth', 'groups-in-groups', '100,000 groups in each other', () => sized(nested('<g>', '</g>', 100_000, RECT))),
  svg('depth', 'groups-in-groups-unsized', '200,000 groups in each other, of which the bounds are asked', () =>
    unsized(nested('<g>', '</g>', 200_000, RECT)),
  ),
  svg('depth', 'groups-below-the-limit', '900 groups with opacity, each a surface', () =>
    withSize('3000', '3000', nested('<g opacity=".99">', '</g>', 250, RECT)),
  ),
  svg('depth', 'viewports-in-viewports', '250 <svg> that each enlarge what is in them', () =>
    sized(nested('<svg width="200%" height="200%" viewBox="0 0 1 1">', '</svg>', 250, RECT)),
  ),
  svg('depth', 'spans-in-spans', '50,000 <tspan>s in each other', () =>
    sized(`<text>${nested('<tspan>', '</tspan>', 50_000, 'a')}</text>`),
  ),
  svg('depth', 'unclosed', '200,000 groups, none of which ends', () => sized('<g>'.repeat(200_000))),
];
