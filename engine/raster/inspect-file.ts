import { FILE_REMEDIES } from '../../domain/composition/file-forms.ts';
import { signatureOf } from '../media/file-signature.ts';
import type { Inspection, InspectionRequest } from '../media/inspection.ts';
import { unreadableReason } from '../media/unreadable-file.ts';
import { inspectFontCoverage, inspectFontFamily } from './font-file.ts';
import { checkDecodable, imageSize, UnreadableImage } from './image.ts';

const inspectImage = async (path: string): Promise<Inspection> => {
  const signature = await signatureOf(path);
  if (signature?.name === 'HEIC') {
    // AVIF files may also have the brands of HEIC, so reading the file decides.
    const read = await imageSize(path).catch(() => null);
    return read === null
      ? { tag: 'refused', message: `is a HEIC image: ${FILE_REMEDIES.heic}` }
      : { tag: 'image', image: read };
  }
  // A file of another kind is not read further. For example, a compressed SVG could grow without bound.
  if (signature !== null && ['empty', 'other'].includes(signature.is))
    return { tag: 'refused', message: unreadableReason('image', signature) };
  try {
    return { tag: 'image', image: await imageSize(path) };
  } catch (cause) {
    if (!(cause instanceof UnreadableImage)) throw cause;
    return { tag: 'refused', message: cause.is_too_large ? cause.message : unreadableReason('image', signature) };
  }
};

const inspectPixels = async (path: string): Promise<Inspection> => {
  const result = await inspectImage(path);
  if (result.tag !== 'image') return result;
  try {
    await checkDecodable(path);
    return result;
  } catch (cause) {
    if (!(cause instanceof UnreadableImage)) throw cause;
    return { tag: 'refused', message: cause.message };
  }
};

/** The file may be hostile, so this runs only in the sandbox. */
export const inspectFile = async ({ what, path }: InspectionRequest): Promise<Inspection> => {
  switch (what) {
    case 'image':
      return await inspectImage(path);
    case 'pixels':
      return await inspectPixels(path);
    case 'font':
      return await inspectFontCoverage(path);
    case 'family':
      return await inspectFontFamily(path);
    case 'signature':
      return { tag: 'signature', signature: await signatureOf(path) };
  }
};
