import type { NamedBy } from '../../domain/catalogue/events.ts';
import type { Output } from '../../domain/render/events.ts';
import type { Render } from '../../domain/render/render.ts';
import type { BlobStore } from './blob-store.ts';

/** What accounts have set for their outputs. Both reject as the read of a setting does. */
export type OutputPolicy = {
  /** Whether the outputs of a render that has ended are kept no more. */
  readonly isGone: (render: Render) => Promise<boolean>;
  /** What signed URLs of the account name their files by. Access logs keep the URLs. */
  readonly namedBy: (account_id: string) => Promise<NamedBy>;
};

/** What a browser saves the file as: the render's name or id, and the variant where it is not the master. */
const fileName = (name: string, { variant, path }: Output): string => {
  const extension = path.slice(path.lastIndexOf('.'));
  return variant === 'master' ? `${name}${extension}` : `${name} (${variant})${extension}`;
};

const signed = (blobs: BlobStore, name: string, output: Output): Promise<string> =>
  blobs.signedUrl(output.path, { file_name: fileName(name, output), content_type: output.content_type });

const nameOf = async (render: Render, policy: OutputPolicy): Promise<string> =>
  render[await policy.namedBy(render.account_id)];

/**
 * A fresh URL for every variant; null while the render is not complete, and once its outputs are kept no more. Rejects with
 * `BlobFault`, and as the policy does.
 */
export const signedOutput = async (
  blobs: BlobStore,
  render: Render,
  policy: OutputPolicy,
): Promise<Readonly<Record<string, string>> | null> => {
  const { status, outputs } = render;
  if (status !== 'complete' || (await policy.isGone(render))) return null;
  const name = await nameOf(render, policy);
  const urls = outputs.map(async (output) => [output.variant, await signed(blobs, name, output)] as const);
  return Object.fromEntries(await Promise.all(urls));
};

/** A fresh URL of the still that stands for the video; null where there is none, or none any more. */
export const signedPoster = async (blobs: BlobStore, render: Render, policy: OutputPolicy): Promise<string | null> => {
  if (render.poster === null || (await policy.isGone(render))) return null;
  return await signed(blobs, await nameOf(render, policy), render.poster);
};
