import type { Signature } from './file-signature.ts';

export const CONVERT = {
  video: 'MP4 (H.264)',
  audio: 'M4A, MP3, WAV, FLAC or Ogg',
  image: 'PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG',
} as const;

const NOUN = { video: 'a video', audio: 'a sound', image: 'a picture' } as const;

/** Why a file cannot be read as `kind`, as far as its signature tells. */
export const unreadableReason = (kind: keyof typeof CONVERT, signature: Signature | null): string => {
  if (signature === null) return `cannot be read: convert it to ${CONVERT[kind]}`;
  const { name, is } = signature;
  if (is === 'empty') return 'is empty';
  if (is === 'other') return `is ${name} and not ${NOUN[kind]}`;
  return is === kind
    ? `cannot be read: it is damaged or cut off, or has to be converted to ${CONVERT[kind]}`
    : `is ${NOUN[is]} (${name}) and not ${NOUN[kind]}: convert it to ${CONVERT[kind]}`;
};
