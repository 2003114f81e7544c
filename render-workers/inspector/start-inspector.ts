import { Counter } from 'prom-client';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { type Metrics, sampledGauge } from '../../platform/metrics/metrics.ts';
import type { Sandbox } from '../../platform/sandbox/sandbox.ts';
import type { Uploads } from '../../read-models/uploads/uploads.ts';
import type { WorkFolder } from '../local-files/work-folder.ts';
import { drawThumbnail } from './draw-thumbnail.ts';
import { inspectFile } from './inspect-file.ts';
import { inspectUpload } from './inspect-upload.ts';
import { type Inspector, type InspectorDependencies, startInspector } from './inspector.ts';

export type UploadInspectorDependencies = Pick<InspectorDependencies, 'blobs' | 'logger' | 'clock'> & {
  readonly uploads: Uploads;
  readonly upload_blobs: UploadBlobs;
  readonly folder: WorkFolder;
  readonly ffmpeg_path: string;
  readonly ffprobe_path: string;
  readonly sandbox: Sandbox;
  readonly metrics: Metrics;
};

/** For one file. Each program also has its own limit. */
const BUDGET_MS = 300_000;
const DRAWING_MS = 60_000;

/** Inspects uploads in the sandbox of this process, with the programs that decode media for renders. */
export const startUploadInspector = ({
  folder,
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
    'Uploads that wait for an inspection, or are inspected',
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
