import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import { foldStep } from '../../../domain/render/fold.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { workMeter } from '../../../render-workers/metering/work-meter.ts';
import { type PrepareDependencies, prepare } from '../../../render-workers/preparer/prepare.ts';
import { requested } from '../../helpers/render-events.ts';
import { SANDBOX as sandbox } from '../../helpers/sandbox.ts';
import { BARE_PROJECT } from './_bare-project.ts';
import { blobsWith, notCalled } from './_blobs.ts';

const LIMIT_MS = 2_000;

const blobsIn = (ms: number) =>
  blobsWith({
    putPayload: async (path) => {
      await pause(ms);
      return { path, sha256: 'ab' };
    },
  });

const outcomeOf = async (fetching_ms: number, storing_ms: number) => {
  const project = decodeProjectDocument(BARE_PROJECT);
  const step = foldStep(null, requested({ request: null, template_id: null }), 1);
  if (E.isLeft(project) || step.tag !== 'accepted') throw new Error('not accepted');
  const parts: PrepareDependencies = {
    versions: async () => E.right(project.right),
    readRequest: async () => E.right({ values: {}, draft: false }),
    blobs: blobsIn(storing_ms),
    assets: { provide: async () => new Map(), sizeOf: async () => 0 },
    fetcher: {
      fetch: async (_remote, { clock }) => {
        await clock.work(() => pause(fetching_ms));
        return E.right([]);
      },
    },
    uploads: { find: notCalled },
    folder: { media: '', segments: '', render: () => mkdtemp(join(tmpdir(), 'prepare-')), remove: notCalled },
    disk: { reserve: notCalled, reserved: () => 0, waiting: () => 0 },
    ffprobe_path: 'ffprobe',
    clock: SYSTEM_CLOCK,
    sandbox,
    looks: { inSlot: async (_account_id, _signal, run) => await run() },
    limit_ms: LIMIT_MS,
    download_ms: LIMIT_MS,
    logger: createLogger('test', 'silent'),
  };
  return await prepare(step.render, parts, workMeter(), new AbortController().signal);
};

test('slow fetches do not take time from storing', async (t) => {
  t.true(E.isRight(await outcomeOf(0.6 * LIMIT_MS, 0.6 * LIMIT_MS)));
});

test('storing has a deadline too', async (t) => {
  t.like(await outcomeOf(0, 2 * LIMIT_MS), { _tag: 'Left', left: { code: 'surroundings', ours: true } });
});
