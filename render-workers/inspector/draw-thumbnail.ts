import * as E from 'fp-ts/lib/Either.js';
import { composeFinal } from '../../domain/composition/final-composition.ts';
import { ProjectDocument } from '../../domain/composition/project-shape.ts';
import type { MediaSummary, Upload } from '../../domain/uploads/upload.ts';
import { type FrameOptions, renderFrame } from '../../engine/render-frame.ts';

/** In pixels. */
const LONGEST_SIDE = 640;
const DURATION_S = 0.1;
/** A later frame than the first, which is often black. */
const MAX_FRAME_AT_S = 1;

const evenWithin = (side: number, scale: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));

/** A composition that shows only this file. Null for a file without a picture. */
const documentOf = (
  { kind, content_type, size_bytes }: Upload,
  sha256: string,
  { width, height, duration_s }: MediaSummary,
): unknown => {
  if ((kind !== 'image' && kind !== 'video') || width === null || height === null) return null;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  const size = { width: evenWithin(width, scale), height: evenWithin(height, scale) };
  const trim_start = kind === 'video' ? Math.min(MAX_FRAME_AT_S, (duration_s ?? 0) / 2) : undefined;
  const layer = {
    id: 'file',
    type: kind,
    asset: 'file',
    fit: 'fill',
    ...(trim_start === undefined ? {} : { trim_start }),
  };
  const asset = { id: 'file', kind, sha256, size_bytes, content_type, file_name: 'file' };
  return {
    ...{ name: 'thumbnail', main_composition_id: 'comp_file' },
    compositions: [
      {
        id: 'comp_file',
        ...size,
        fps: 30,
        duration: DURATION_S,
        background: '#FFFFFF',
        poster_time: 0,
        layers: [layer],
      },
    ],
    assets: [{ ...asset, font_family: null, font_covers: null }],
  };
};

/** A JPEG of the file; null if it has no picture, or none could be drawn. */
export const drawThumbnail = async (
  upload: Upload,
  { path, sha256, media }: { readonly path: string; readonly sha256: string; readonly media: MediaSummary },
  programs: Omit<FrameOptions, 'final' | 'assets' | 'format' | 'longest_side'>,
): Promise<Buffer | null> => {
  const document = ProjectDocument.decode(documentOf(upload, sha256, media));
  if (E.isLeft(document)) return null;
  const final = composeFinal(document.right, null, {});
  if (E.isLeft(final)) return null;
  const assets = new Map([['file', path]]);
  const drawn = await renderFrame({ ...programs, final: final.right, assets, format: 'jpeg' }, 0);
  return E.isRight(drawn) ? drawn.right.bytes : null;
};
