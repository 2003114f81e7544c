import type * as E from 'fp-ts/lib/Either.js';
import type { BlobCaches } from '../../engine/cache/blob-cache.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { CliFault } from '../fault.ts';

export type RenderTools = {
  readonly view: CatalogueReadModel;
  readonly blobs: () => Promise<E.Either<CliFault, BlobStore>>;
  readonly segments: () => Promise<E.Either<CliFault, BlobCaches>>;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly cache_folder: string;
};
