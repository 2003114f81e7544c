import type { Output } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BlobStore } from './blob-store.ts';

/** What a browser saves the file as: the render's name, and the variant where it is not the master. */
const fileName = (name: string, { variant, path }: Output): string => {
  const extension = path.slice(path.lastIndexOf('.'));
  return variant === 'master' ? `${name}${extension}` : `${name} (${variant})${extension}`;
};

const signed = (blobs: BlobStore, name: string, output: Output): Promise<string> =>
  blobs.signedUrl(output.path, { file_name: fileName(name, output), content_type: output.content_type });

/** Whether the outputs of a render that has ended are kept no more. */
export type IsGone = (render: Render) => Promise<boolean>;

/**
 * A fresh URL for every variant; null while the render is not complete, and once its outputs are kept no more. Rejects with
 * `BlobFault`, and as `isGone` does.
 */
export const signedOutput = async (
  blobs: BlobStore,
  render: Render,
  isGone: IsGone,
): Promise<Readonly<Record<string, string>> | null> => {
  const { name, status, outputs } = render;
  if (status !== 'complete' || (await isGone(render))) return null;
  const urls = outputs.map(async (output) => [output.variant, await signed(blobs, name, output)] as const);
  return Object.fromEntries(await Promise.all(urls));
};

/** A fresh URL of the still that stands for the video; null where there is none, or none any more. */
export const signedPoster = async (blobs: BlobStore, render: Render, isGone: IsGone): Promise<string | null> =>
  render.poster === null || (await isGone(render)) ? null : await signed(blobs, render.name, render.poster);
