import { encodeQuotable } from './quotable-url.ts';

/** Control characters, and characters that common file systems forbid in a name. */
const UNSAFE = /[\p{Cc}"\\/:*?<>|]/gu;
const MAX_CHARACTERS = 150;

/** An ASCII file name for old clients, and the real name in UTF-8 (RFC 6266, RFC 8187). */
export const contentDisposition = (file_name: string): string => {
  const whole = file_name.toWellFormed().replace(UNSAFE, ' ').trim();
  const extension = /\.[A-Za-z0-9]{1,5}$/.exec(whole)?.[0] ?? '';
  const stem = Array.from(whole.slice(0, whole.length - extension.length))
    .slice(0, MAX_CHARACTERS)
    .join('')
    .trim();
  const name = `${stem === '' ? 'video' : stem}${extension}`;
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/%/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeQuotable(encodeURIComponent(name))}`;
};
