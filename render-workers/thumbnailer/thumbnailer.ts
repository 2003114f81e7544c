import * as E from 'fp-ts/lib/Either.js';
import { subjectOf } from '../../domain/catalogue/subject.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import type { RenderFactAccepted } from '../../domain/render/status.ts';
import { BlobFault, isBlobStoreUnavailable } from '../../platform/blob-store/blob-store.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry, retryAfterPauses } from '../../platform/process/retry.ts';
import { isSystemError } from '../../platform/process/system-error.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AssetOwner } from '../local-files/asset-cache.ts';
import type { RetryingAppend } from '../log/append-until-known.ts';
import { type JobConsumer, type JobConsumerOptions, startJobConsumer } from '../log/job-consumer.ts';
import type { CreateMeta, Headers } from '../log/record-author.ts';
import { DeadlinePassed } from '../metering/stage-deadline.ts';
import { type FailedVersions, failedVersions } from './failed-versions.ts';
import { EngineInterrupted, type StoredThumbnail } from './make-thumbnail.ts';
import type { ThumbnailVersions } from './shown-version.ts';

/** Short pauses, because other thumbnails of the account wait meanwhile. The version's next render tries again. */
const POLICY = retryAfterPauses([1_000, 5_000]);

export type ThumbnailerDependencies = {
  readonly records: RecordLog;
  readonly append: RetryingAppend;
  readonly positions: ConsumerPositions;
  readonly stops?: StoppedPartitions;
  readonly queue: JobConsumerOptions['queue'];
  readonly shown: ThumbnailVersions;
  /** Left if the version does not exist or cannot be decoded. Rejects when the signal aborts. */
  readonly versionOf: (
    project_id: string,
    version: number,
    signal: AbortSignal,
  ) => Promise<E.Either<{ readonly message: string }, ProjectDocument>>;
  readonly make: (
    owner: AssetOwner,
    version: number,
    document: ProjectDocument,
    signal: AbortSignal,
  ) => Promise<E.Either<string, StoredThumbnail>>;
  readonly by: CreateMeta;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly crash: (error: unknown) => void;
};

type Unmade = {
  readonly reason: string;
  /** Whether the version's next render may try again. */
  readonly passes: boolean;
};

const mayPass = (fault: unknown): boolean => isBlobStoreUnavailable(fault) || fault instanceof EngineInterrupted;

const isExpected = (fault: unknown): boolean =>
  mayPass(fault) || fault instanceof BlobFault || fault instanceof DeadlinePassed || isSystemError(fault);

/** Left if there is no thumbnail now. Rejects when the signal aborts, and on a bug. */
const thumbnailFor = async (
  { id: render_id, project_id, project_version }: RenderFactAccepted['render'],
  { versionOf, make, clock }: Pick<ThumbnailerDependencies, 'versionOf' | 'make' | 'clock'>,
  signal: AbortSignal,
): Promise<E.Either<Unmade, StoredThumbnail>> => {
  const document = await versionOf(project_id, project_version, signal);
  if (E.isLeft(document)) return E.left({ reason: document.left.message, passes: false });
  try {
    const work = () => make({ project_id, render_id }, project_version, document.right, signal);
    const still = await retry(work, { clock, signal, policy: POLICY, isTransient: mayPass });
    return E.isLeft(still) ? E.left({ reason: still.left, passes: false }) : still;
  } catch (fault) {
    signal.throwIfAborted();
    if (!isExpected(fault)) throw fault;
    const passes = isBlobStoreUnavailable(fault) || fault instanceof DeadlinePassed;
    return E.left({ reason: messageOf(fault), passes });
  }
};

type ThumbnailOneDependencies = Pick<
  ThumbnailerDependencies,
  'append' | 'shown' | 'versionOf' | 'make' | 'by' | 'logger' | 'clock'
> & { readonly failed: FailedVersions };

const makeAndTell = async (
  parts: ThumbnailOneDependencies,
  { meta, render }: RenderFactAccepted,
  headers: Headers,
  signal: AbortSignal,
): Promise<void> => {
  const { project_id, project_version: version, correlation_id } = render;
  if (parts.failed.has(project_id, version) || (await parts.shown.hasReached(project_id, version, signal))) return;
  const still = await thumbnailFor(render, parts, signal);
  if (E.isLeft(still)) {
    const { reason, passes } = still.left;
    if (!passes) parts.failed.add(project_id, version);
    parts.logger.warn({ project_id, version, reason }, 'a thumbnail could not be created');
    return;
  }
  const event = { type: 'ProjectThumbnailMade', rules: 0, project_id, version, ...still.right } as const;
  const record = { ...event, meta: parts.by(meta.causation_id, correlation_id) };
  await parts.append('catalogue-events', subjectOf(record), record, { headers, signal, partition: 0 });
  signal.throwIfAborted();
  parts.shown.markShown(project_id, version);
  parts.logger.info({ project_id, version }, 'stored the thumbnail of a project version');
};

/** Rejects only when the signal aborts: an exception affects only the thumbnail of this version. */
export const thumbnailOne = async (
  parts: ThumbnailOneDependencies,
  made_by: RenderFactAccepted,
  headers: Headers,
  signal: AbortSignal,
): Promise<void> => {
  try {
    await makeAndTell(parts, made_by, headers, signal);
  } catch (error) {
    signal.throwIfAborted();
    const { project_id, project_version: version } = made_by.render;
    parts.failed.add(project_id, version);
    parts.logger.error({ project_id, version, error }, 'a thumbnail failed because of an exception');
  }
};

/** The first completed render of a project version in `render-status` causes its thumbnail. */
export const startThumbnailer = async (parts: ThumbnailerDependencies): Promise<JobConsumer> => {
  const failed = failedVersions();
  return await startJobConsumer({
    ...parts,
    group: 'thumbnailer',
    topic: 'render-status',
    jobOf: (record, source) =>
      record.type === 'RenderFactAccepted' && record.transition?.to === 'complete'
        ? {
            account_id: record.render.account_id,
            run: (signal) => thumbnailOne({ ...parts, failed }, record, traceHeaders(source.headers), signal),
          }
        : null,
  });
};
