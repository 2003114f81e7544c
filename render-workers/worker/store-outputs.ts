import type { Output } from '../../domain/render/events.ts';
import type { RenderResult } from '../../engine/render-composition.ts';
import { outputPath } from '../../schemas/blobs/paths.ts';

const PREVIEW = 'preview';
const ENDINGS = { 'video/mp4': 'mp4', 'image/webp': 'webp', 'image/jpeg': 'jpg' } as const;

type OutputFile = {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly duration_ms: number;
  readonly content_type: keyof typeof ENDINGS;
};

type Upload = (
  path: string,
  file: string,
  content_type: string,
) => Promise<{ readonly size_bytes: number; readonly sha256: string }>;

type Owner = { readonly render_id: string; readonly attempt_id: string };

const storeOne = async (
  { render_id, attempt_id }: Owner,
  variant: string,
  output: OutputFile,
  upload: Upload,
): Promise<Output> => {
  const { file, width, height, duration_ms, content_type } = output;
  const path = outputPath(render_id, attempt_id, `${variant}.${ENDINGS[content_type]}`);
  const { size_bytes, sha256 } = await upload(path, file, content_type);
  return { variant, path, content_type, size_bytes, sha256, width, height, duration_ms };
};

/** Stores the files of a rendered composition, one after the other. */
export const storeOutputs = async (
  owner: Owner,
  { outputs, preview, poster }: RenderResult,
  upload: Upload,
): Promise<{ readonly outputs: readonly Output[]; readonly poster: Output }> => {
  const stored: Output[] = [];
  for (const output of outputs) stored.push(await storeOne(owner, output.variant, output, upload));
  if (preview !== null) stored.push(await storeOne(owner, PREVIEW, preview, upload));
  return { outputs: stored, poster: await storeOne(owner, 'poster', { ...poster, duration_ms: 0 }, upload) };
};
