import type { FailedAttempt } from '../../domain/dispatch/heartbeats.ts';
import type { WarmPrograms } from '../../engine/raster/warm-programs.ts';
import type { PartClaims } from '../../engine/render/part-claims.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Impediments } from '../environment/impediments.ts';
import type { AssetCache } from '../local-files/asset-cache.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import type { RetryingAppend } from '../log/append-until-known.ts';
import type { CreateMeta } from '../log/record-author.ts';
import type { AttemptDeadlines } from './attempt-deadlines.ts';
import type { HelpCoordinator } from './help/help-desk.ts';
import type { SegmentCaches } from './segments/segment-caches.ts';
import type { EngineWork } from './worker-metrics.ts';

export type AttemptDependencies = {
  readonly append: RetryingAppend;
  readonly blobs: BlobStore;
  readonly assets: Pick<AssetCache, 'provide' | 'sizeOf'>;
  readonly segments: Pick<SegmentCaches, 'of' | 'clear'>;
  readonly folder: WorkFolder;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly deadlines: AttemptDeadlines;
  readonly impediments: Pick<Impediments, 'report' | 'reportSuccess'>;
  /** No attempt starts below this free space. */
  readonly least_free_bytes: number;
  /** Maximum of concurrent encoding processes of one attempt. */
  readonly cores: number;
  readonly helpDesk: Pick<HelpCoordinator, 'open'>;
  readonly claims: PartClaims;
  /** Running raster programs by account. */
  readonly warm: Pick<WarmPrograms, 'lease'>;
  readonly rendered: (work: EngineWork) => void;
  /** Called when a render fails by its own fault, or when its decoders crash a second time. */
  readonly spent: (attempt: FailedAttempt) => void;
  readonly by: CreateMeta;
  readonly logger: Logger;
  readonly clock: Clock;
};
