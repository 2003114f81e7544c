import type * as E from 'fp-ts/lib/Either.js';
import type { BlobCaches } from '../../engine/cache/blob-cache.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { CliFault } from '../fault.ts';

/** The parts that draw frames of a project without a worker. Parts that not every frame needs are opened on demand. */
export type RenderTools = {
  readonly view: CatalogueReadModel;
  readonly blobs: () => Promise<E.Either<CliFault, BlobStore>>;
  /** Rendered parts, by account. */
  readonly segments: () => Promise<E.Either<CliFault, BlobCaches>>;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  /** Folder for copies of assets. */
  readonly kept_in: string;
};
