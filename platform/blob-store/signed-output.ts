import type { Output } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BlobStore } from './blob-store.ts';

/** What a browser saves the file as: the render's name, and the variant where it is not the master. */
const fileName = (name: string, { variant, path }: Output): string => {
  const extension = path.slice(path.lastIndexOf('.'));
  return variant === 'master' ? `${name}${extension}` : `${name} (${variant})${extension}`;
};

/** A fresh URL for every variant; null while the render is not complete. Rejects with `BlobFault`. */
export const signedOutput = async (
  blobs: BlobStore,
  { name, status, outputs }: Render,
): Promise<Readonly<Record<string, string>> | null> => {
  if (status !== 'complete') return null;
  const urls = outputs.map(async (output) => {
    const { variant, path, content_type } = output;
    return [variant, await blobs.signedUrl(path, { file_name: fileName(name, output), content_type })] as const;
  });
  return Object.fromEntries(await Promise.all(urls));
};
