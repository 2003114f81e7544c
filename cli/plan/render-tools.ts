import type * as E from 'fp-ts/lib/Either.js';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { BlobCaches } from '../../render-workers/engine/cache/blob-cache.ts';
import type { CatalogueView } from '../catalogue/catalogue-view.ts';
import type { CliFault } from '../fault.ts';

/** What renderctl needs to plan and render without a worker. Clients that not every command needs are opened on use. */
export type RenderTools = {
  readonly view: CatalogueView;
  readonly blobs: () => Promise<E.Either<CliFault, BlobStore>>;
  /** Rendered parts, by account. */
  readonly segments: () => Promise<E.Either<CliFault, BlobCaches>>;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  /** Folder for copies of assets. */
  readonly kept_in: string;
};
