import { createHash } from 'node:crypto';

/** Lowercase hex, over the text's UTF-8 bytes. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
