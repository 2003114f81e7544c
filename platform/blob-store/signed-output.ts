import type { DownloadNameSource } from '../../domain/catalogue/events.ts';
import type { Output } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BlobStore } from './blob-store.ts';

/** Both methods reject when the account's setting cannot be read. */
export type OutputUrlPolicy = {
  /** Whether the retention period for the outputs of a final render has passed. */
  readonly isGone: (render: Render) => Promise<boolean>;
  /**
   * The field of a render that names its downloaded files. Signed URLs contain this name, so access logs contain it
   * too.
   */
  readonly namedBy: (account_id: string) => Promise<DownloadNameSource>;
};

const fileName = (name: string, { variant, path }: Output): string => {
  const extension = path.slice(path.lastIndexOf('.'));
  return variant === 'master' ? `${name}${extension}` : `${name} (${variant})${extension}`;
};

const signed = (blobs: BlobStore, name: string, output: Output): Promise<string> =>
  blobs.signedUrl(output.path, { file_name: fileName(name, output), content_type: output.content_type });

const nameOf = async (render: Render, policy: OutputUrlPolicy): Promise<string> =>
  render[await policy.namedBy(render.account_id)];

/**
 * Null while the render is not complete, and after the retention period. Rejects when the blob store or the policy
 * does.
 */
export const signedOutput = async (
  blobs: BlobStore,
  render: Render,
  policy: OutputUrlPolicy,
): Promise<Readonly<Record<string, string>> | null> => {
  const { status, outputs } = render;
  if (status !== 'complete' || (await policy.isGone(render))) return null;
  const name = await nameOf(render, policy);
  const urls = outputs.map(async (output) => [output.variant, await signed(blobs, name, output)] as const);
  return Object.fromEntries(await Promise.all(urls));
};

/** Null if the video has no poster, or after its retention period. */
export const signedPoster = async (
  blobs: BlobStore,
  render: Render,
  policy: OutputUrlPolicy,
): Promise<string | null> => {
  if (render.poster === null || (await policy.isGone(render))) return null;
  return await signed(blobs, await nameOf(render, policy), render.poster);
};
