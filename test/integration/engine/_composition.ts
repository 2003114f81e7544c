import * as E from 'fp-ts/lib/Either.js';
import type { AssetKind } from '../../../domain/composition/assets.ts';
import { ENGINE_VERSION } from '../../../domain/composition/engine-version.ts';
import { composeFinal, type FinalComposition } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';

export type AssetParts = {
  readonly id: string;
  readonly kind: AssetKind;
  readonly font_family?: string;
  readonly duration_s?: number;
};

export const finalOf = (
  parts: Record<string, unknown> & { readonly layers: readonly unknown[] },
  assets: readonly AssetParts[] = [],
  variants: readonly unknown[] = [],
  engine: number | undefined = ENGINE_VERSION,
): FinalComposition => {
  const stored = { sha256: 'a'.repeat(64), size_bytes: 1, content_type: 'application/octet-stream', file_name: 'file' };
  const decoded = decodeProjectDocument({
    name: 'golden',
    engine,
    main_composition_id: 'comp_golden',
    compositions: [{ id: 'comp_golden', width: 320, height: 180, fps: 30, duration: 1, ...parts }],
    assets: assets.map((asset) => ({ ...stored, ...asset })),
    variants,
  });
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  const final = composeFinal(decoded.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};
