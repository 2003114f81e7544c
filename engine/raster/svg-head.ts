/*
 * libvips takes a file for an SVG if `<svg` is near its beginning. Some libraries write a prefix (`<ns0:svg`), some editors
 * UTF-16.
 */

/** A comment that libvips finds. */
const MARK = '<!-- what follows is an <svg -->';

/** What may stand before the root of an XML document. */
const BEFORE_ROOT = /\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^[>]*(?:\[.*?\]\s*)?>/isy;
const ROOT = /<([\w.-]+:)?svg[\s/>]/y;
const DECLARATION = /^\s*<\?xml\s.*?\?>/s;
/** Behind so many bytes there is no root of a picture. */
const HEAD_BYTES = 2 ** 20;

/** UTF-8 of what is in UTF-16, by its byte order mark, without the declaration that says so. */
const inUtf8 = (bytes: Buffer): Buffer => {
  const mark = bytes.toString('hex', 0, 2);
  if (mark !== 'fffe' && mark !== 'feff') return bytes;
  const units = Buffer.from(bytes.subarray(2, bytes.length - (bytes.length % 2)));
  const text = (mark === 'feff' ? units.swap16() : units).toString('utf16le');
  return Buffer.from(text.replace(DECLARATION, ''));
};

/** The prefix of the root, empty where it has none; null where it is no `svg`. */
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

/** An SVG so that libvips recognises it; other files as they are. */
export const asRecognisedSvg = (bytes: Buffer): Buffer => {
  const utf8 = inUtf8(bytes);
  const head = utf8.toString('latin1', 0, HEAD_BYTES);
  const prefix = /^\s*</.test(head) ? prefixOfSvg(head) : null;
  if (prefix === null) return bytes;
  if (prefix === '') return utf8;
  const [declaration = ''] = DECLARATION.exec(head) ?? [];
  return Buffer.concat([Buffer.from(`${declaration.trim()}${MARK}`, 'latin1'), utf8.subarray(declaration.length)]);
};
