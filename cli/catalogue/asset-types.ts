import { extname } from 'node:path';
import type { AssetKind } from '../../domain/composition/assets.ts';

const TYPES: Readonly<Record<string, { readonly kind: AssetKind; readonly content_type: string }>> = {
  '.png': { kind: 'image', content_type: 'image/png' },
  '.jpg': { kind: 'image', content_type: 'image/jpeg' },
  '.jpeg': { kind: 'image', content_type: 'image/jpeg' },
  '.webp': { kind: 'image', content_type: 'image/webp' },
  '.gif': { kind: 'image', content_type: 'image/gif' },
  '.svg': { kind: 'image', content_type: 'image/svg+xml' },
  '.avif': { kind: 'image', content_type: 'image/avif' },
  '.mp4': { kind: 'video', content_type: 'video/mp4' },
  '.m4v': { kind: 'video', content_type: 'video/mp4' },
  '.mov': { kind: 'video', content_type: 'video/quicktime' },
  '.webm': { kind: 'video', content_type: 'video/webm' },
  '.mkv': { kind: 'video', content_type: 'video/x-matroska' },
  '.mp3': { kind: 'audio', content_type: 'audio/mpeg' },
  '.m4a': { kind: 'audio', content_type: 'audio/mp4' },
  '.aac': { kind: 'audio', content_type: 'audio/aac' },
  '.wav': { kind: 'audio', content_type: 'audio/wav' },
  '.flac': { kind: 'audio', content_type: 'audio/flac' },
  '.ogg': { kind: 'audio', content_type: 'audio/ogg' },
  '.ttf': { kind: 'font', content_type: 'font/ttf' },
  '.otf': { kind: 'font', content_type: 'font/otf' },
  '.opus': { kind: 'audio', content_type: 'audio/ogg' },
};

/** The file extensions of a kind, for messages. */
export const endingsOf = (kind: AssetKind): string =>
  Object.entries(TYPES)
    .filter(([, type]) => type.kind === kind)
    .map(([ending]) => ending)
    .join(' ');

/** The kind of a file by its extension; null for an unknown one. */
export const kindOf = (file: string): AssetKind | null => TYPES[extname(file).toLowerCase()]?.kind ?? null;

/** The content type of a file of that kind, by its extension; null where the two do not match. */
export const contentTypeOf = (file: string, kind: AssetKind): string | null => {
  const type = TYPES[extname(file).toLowerCase()];
  return type?.kind === kind ? type.content_type : null;
};
