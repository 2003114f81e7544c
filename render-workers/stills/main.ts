import { isLeft } from 'fp-ts/lib/Either.js';
import { openWarmPrograms } from '../../engine/raster/warm-programs.ts';
import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import { openUploadBlobs } from '../../platform/blob-store/azure-upload-blobs.ts';
import {
  BLOB_STORE,
  ENGINE,
  OUTBOUND,
  PUBLIC_SERVER,
  READ_STORE,
  SANDBOX,
  STILLS,
} from '../../platform/configuration/parts.ts';
import { addRoute } from '../../platform/http-server/route.ts';
import { sampledGauge } from '../../platform/metrics/metrics.ts';
import { openFetcher } from '../../platform/outbound/https-fetch.ts';
import { outboundRules } from '../../platform/outbound/outbound-rules.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openStore } from '../../platform/process/open-clients.ts';
import { openComponentSandbox } from '../../platform/sandbox/component-sandbox.ts';
import { catalogueReadModel } from '../../read-models/catalogue/management.ts';
import { behindText, openCatchUp } from '../../read-models/catch-up.ts';
import { openUploads } from '../../read-models/uploads/uploads.ts';
import { COMPOSED_STILLS_PATH } from '../../schemas/http/composed-still.ts';
import { STILLS_PATH } from '../../schemas/http/still.ts';
import { startUploadInspector } from '../inspector/start-inspector.ts';
import { createAssetCache } from '../local-files/asset-cache.ts';
import { expireLocalCopies } from '../local-files/expiry.ts';
import { openWorkFolder } from '../local-files/work-folder.ts';
import { type Drawing, drawStill } from './draw-still.ts';
import { composedStillRoute, stillRoute } from './still-route.ts';
import { openStillQueue } from './turns.ts';

const MAX_CACHED_BYTES = 2 * 1024 ** 3;

const PARTS = {
  server: PUBLIC_SERVER,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  engine: ENGINE,
  sandbox: SANDBOX,
  outbound: OUTBOUND,
  stills: STILLS,
};

await runComponent('stills', PARTS, async (context) => {
  const { configuration, logger, metrics, readiness, clock, openInterface, stopping } = context;
  const rules = outboundRules(configuration.outbound);
  if (isLeft(rules)) throw new Error(rules.left);
  const server = await openInterface(configuration.server);
  const sandbox = await openComponentSandbox(configuration.sandbox, { logger, metrics, readiness });
  const store = await openStore(context, configuration.read_store);
  const blobs = openBlobStore(configuration.blob_store, readiness);
  const catchUp = openCatchUp(store.db, clock);
  readiness.check('read_models', async () => behindText(await catchUp()));
  const { secret } = configuration.stills;
  readiness.state('stills', secret === undefined ? 'STILLS_SECRET is not set: every request is refused' : 'served');

  const folder = await openWorkFolder(configuration.engine.work_dir, 'stills');
  const work_dir = await folder.render('programs');
  const assets = createAssetCache(blobs, folder.media, MAX_CACHED_BYTES);
  const expiry = expireLocalCopies(assets.expire, logger, clock);
  const warm = openWarmPrograms(work_dir, sandbox);
  const turns = openStillQueue();
  const { ffmpeg: ffmpeg_path, ffprobe: ffprobe_path } = configuration.engine;
  const parts = { assets, warm, work_dir, ffmpeg_path, ffprobe_path, sandbox, clock };
  const drawing = {
    ...{ secret, turns, stopping },
    draw: (still: Drawing, signal: AbortSignal) => drawStill(still, parts, signal),
  };
  addRoute(server, logger, 'POST', STILLS_PATH, stillRoute(drawing, catalogueReadModel(store.db)));
  addRoute(server, logger, 'POST', COMPOSED_STILLS_PATH, composedStillRoute(drawing));
  sampledGauge(metrics, 'stills', 'Stills in progress, and waiting ones', ['state'], async () => [
    { labels: { state: 'running' }, value: turns.running() },
    { labels: { state: 'waiting' }, value: turns.waiting() },
  ]);
  sampledGauge(
    metrics,
    'still_programs_idle',
    'Idle raster processes, kept for stills of their account',
    [],
    async () => [{ labels: {}, value: warm.idle() }],
  );
  const uploads = openUploads(store.db);
  const outside = openFetcher(rules.right);
  const inspector = startUploadInspector({
    ...{ uploads, blobs, upload_blobs: openUploadBlobs(configuration.blob_store), folder, sandbox, outside },
    ...{ ffmpeg_path, ffprobe_path, metrics, logger, clock },
  });
  return {
    stop: async () => {
      await inspector.stop();
      await outside.close();
      await expiry.stop();
      await warm.close();
      await folder.remove();
      await store.close();
    },
  };
});
