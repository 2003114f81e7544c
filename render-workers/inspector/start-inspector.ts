import { Counter } from 'prom-client';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { Fetcher } from '../../platform/outbound/https-fetch.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import { drawThumbnail } from './draw-thumbnail.ts';
import { fetchUpload } from './fetch-upload.ts';
import { inspectFile } from './inspect-file.ts';
import { inspectUpload } from './inspect-upload.ts';
import { type Inspector, type InspectorDependencies, startInspector } from './inspector.ts';

export type UploadInspectorDependencies = Pick<InspectorDependencies, 'logger' | 'clock'> & {
  readonly blobs: BlobStore;
  readonly uploads: Uploads;
  readonly upload_blobs: UploadBlobs;
  readonly folder: WorkFolder;
  readonly outside: Pick<Fetcher, 'fetchFile'>;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly metrics: Metrics;
};

/** For one file. Each program also has its own limit. */
const BUDGET_MS = 300_000;
const DRAWING_MS = 60_000;

/** Fetches uploads, and inspects them in the sandbox of this process, with the programs that decode media for renders. */
export const startUploadInspector = ({
  folder,
  outside,
  ffmpeg_path,
  ffprobe_path,
  sandbox,
  metrics,
  ...parts
}: UploadInspectorDependencies): Inspector => {
  const ended = new Counter({
    ...{ name: 'uploads_inspected_total', help: 'Uploads that this process has inspected, by their state' },
    ...{ labelNames: ['state'], registers: [metrics] },
  });
  const programs = { ffmpeg_path, ffprobe_path };
  const inspector = startInspector({
    ...parts,
    holder: `insp_${mintUlid()}`,
    on_ended: (state) => ended.inc({ state }),
    fetch: (upload, stop) =>
      fetchUpload(upload, { fetchFile: outside.fetchFile, blobs: parts.blobs, folder, clock: parts.clock }, stop),
    inspect: (upload, stop) =>
      inspectUpload(
        upload,
        {
          ...{ upload_blobs: parts.upload_blobs, folder },
          inspect: (kind, path, signal) =>
            inspectFile(kind, path, { ...programs, limits: { signal, sandbox, budget_ms: BUDGET_MS } }),
          draw: (of, file, work_dir, signal) =>
            drawThumbnail(of, file, { ...programs, work_dir, signal, sandbox, budget_ms: DRAWING_MS }),
        },
        stop,
      ),
  });
  sampledGauge(
    metrics,
    'uploads_in_progress',
    'Uploads that wait for a fetch or an inspection, or are fetched or inspected',
    ['state'],
    async () => {
      const { waiting, claimed } = await parts.uploads.counts();
      return [
        { labels: { state: 'waiting' }, value: waiting },
        { labels: { state: 'claimed' }, value: claimed },
      ];
    },
  );
  return inspector;
};
