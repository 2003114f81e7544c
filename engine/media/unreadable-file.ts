import { FILE_REMEDIES } from '../../domain/composition/file-forms.ts';
import type { FileSignature } from './file-signature.ts';

export const CONVERSION_TARGETS = {
  video: 'MP4 (H.264)',
  audio: 'M4A, MP3, WAV, FLAC or Ogg',
  image: 'PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG',
} as const;

const NOUN = { video: 'a video', audio: 'a sound', image: 'a picture' } as const;

const READ_PICTURES: readonly string[] = ['PNG', 'JPEG', 'WebP', 'AVIF', 'GIF', 'TIFF'];

export const unreadableReason = (kind: keyof typeof CONVERSION_TARGETS, signature: FileSignature | null): string => {
  if (signature === null)
    return `cannot be read: it is damaged or has an unknown format. Export it again, or convert it to ${CONVERSION_TARGETS[kind]}`;
  const { name, is, remedy } = signature;
  if (is === 'empty') return `is empty: ${FILE_REMEDIES.incomplete}`;
  if (is === 'other') return `is ${name} and not ${NOUN[kind]}${remedy === undefined ? '' : `: ${remedy}`}`;
  if (kind === 'image' && name === 'SVG')
    return 'cannot be read: it is damaged or cut off, or it lacks width and height as well as a viewBox';
  if (kind === 'image' && READ_PICTURES.includes(name))
    return 'cannot be read: it is damaged or cut off, or its format is not supported. Save it as PNG';
  return is === kind
    ? `cannot be read: it is damaged or cut off, or its format is not supported. Export it again, or convert it to ${CONVERSION_TARGETS[kind]}`
    : `is ${NOUN[is]} (${name}) and not ${NOUN[kind]}: convert it to ${CONVERSION_TARGETS[kind]}`;
};
