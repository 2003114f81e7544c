/*
 * libvips recognises an SVG by `<svg` near its beginning. Some libraries add a prefix (`<ns0:svg`) or write UTF-16, so
 * such a file is converted to UTF-8 and gets a comment with `<svg`.
 */

/** A comment by which libvips recognises the file. Do not change it. */
const MARK = '<!-- what follows is an <svg -->';

const BEFORE_ROOT = /\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^[>]*(?:\[.*?\]\s*)?>/isy;
const ROOT = /<([\w.-]+:)?svg[\s/>]/y;
const DECLARATION = /^\s*<\?xml\s.*?\?>/s;
const HEAD_BYTES = 2 ** 20;

/** Recognises UTF-16 by its byte order mark. Removes the declaration of the encoding. */
const inUtf8 = (bytes: Buffer): Buffer => {
  const mark = bytes.toString('hex', 0, 2);
  if (mark !== 'fffe' && mark !== 'feff') return bytes;
  const units = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  const text = (mark === 'feff' ? units.swap16() : units).toString('utf16le');
  return Buffer.from(text.replace(DECLARATION, ''));
};

/** Empty without a prefix; null if the root is not `svg`. */
const prefixOfSvg = (head: string): string | null => {
  let at = 0;
  for (;;) {
    BEFORE_ROOT.lastIndex = at;
    if (!BEFORE_ROOT.test(head)) break;
    at = BEFORE_ROOT.lastIndex;
  }
  ROOT.lastIndex = at;
  const root = ROOT.exec(head);
  return root === null ? null : (root[1] ?? '');
};

export const normalizeSvgHead = (bytes: Buffer): Buffer => {
  const utf8 = inUtf8(bytes);
  const head = utf8.toString('latin1', 0, HEAD_BYTES);
  const prefix = /^\s*</.test(head) ? prefixOfSvg(head) : null;
  if (prefix === null) return bytes;
  if (prefix === '') return utf8;
  const [declaration = ''] = DECLARATION.exec(head) ?? [];
  return Buffer.concat([Buffer.from(`${declaration.trim()}${MARK}`, 'latin1'), utf8.subarray(declaration.length)]);
};
