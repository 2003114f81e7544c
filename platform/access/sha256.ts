import { createHash } from 'node:crypto';

/** sha256 of the text's UTF-8 bytes, in lowercase hex. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
