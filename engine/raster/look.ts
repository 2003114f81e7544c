import { REMEDY } from '../../domain/composition/file-forms.ts';
import { signatureOf } from '../media/file-signature.ts';
import type { Look, Seen } from '../media/inspection.ts';
import { unreadableReason } from '../media/unreadable-file.ts';
import { fontCovers, fontFamily } from './font-file.ts';
import { imageSize, tryPixels, UnreadableImage } from './image.ts';

const seenImage = async (path: string): Promise<Seen> => {
  const signature = await signatureOf(path);
  if (signature?.name === 'HEIC') {
    // AVIF may have these brands, too.
    const read = await imageSize(path).catch(() => null);
    return read === null
      ? { tag: 'refused', message: `is a picture in HEIC: ${REMEDY.heic}` }
      : { tag: 'image', image: read };
  }
  // A compressed SVG grows without bound when it is read.
  if (signature !== null && ['empty', 'other'].includes(signature.is))
    return { tag: 'refused', message: unreadableReason('image', signature) };
  try {
    return { tag: 'image', image: await imageSize(path) };
  } catch (cause) {
    if (!(cause instanceof UnreadableImage)) throw cause;
    return { tag: 'refused', message: cause.is_too_large ? cause.message : unreadableReason('image', signature) };
  }
};

/** Its properties, where all of it can be decoded. */
const seenPixels = async (path: string): Promise<Seen> => {
  const seen = await seenImage(path);
  if (seen.tag !== 'image') return seen;
  try {
    await tryPixels(path);
    return seen;
  } catch (cause) {
    if (!(cause instanceof UnreadableImage)) throw cause;
    return { tag: 'refused', message: cause.message };
  }
};

/** Identifies a file. Runs in the sandbox only. */
export const look = async ({ what, path }: Look): Promise<Seen> => {
  switch (what) {
    case 'image':
      return await seenImage(path);
    case 'pixels':
      return await seenPixels(path);
    case 'font':
      return await fontCovers(path);
    case 'family':
      return await fontFamily(path);
    case 'signature':
      return { tag: 'signature', signature: await signatureOf(path) };
  }
};
