import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../../domain/composition/project-document.ts';
import type { StartAttempt } from '../../../domain/dispatch/commands.ts';
import { isRenderEvent, type RenderEvent } from '../../../domain/render/events.ts';
import { NO_CACHE } from '../../../engine/cache/segment-cache.ts';
import { openPartClaims } from '../../../engine/render/part-claims.ts';
import { BlobFault, type BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { Impediment } from '../../../render-workers/environment/impediments.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { startAttempt } from '../../../render-workers/worker/attempt.ts';
import { attemptDeadlines } from '../../../render-workers/worker/attempt-deadlines.ts';
import type { AttemptDependencies } from '../../../render-workers/worker/attempt-parts.ts';
import { openHelpCoordinator } from '../../../render-workers/worker/help/help-desk.ts';
import { coldPrograms } from '../../helpers/cold-programs.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { BARE_PROJECT } from './_bare-project.ts';
import { blobsWith, notCalled } from './_blobs.ts';

const final = E.flatMap((project: ProjectDocument) => composeFinal(project, null, {}))(
  decodeProjectDocument(BARE_PROJECT),
);
if (E.isLeft(final)) throw new Error('not composed');
const composition = Buffer.from(canonicalJson(final.right));

const command = (n: number): StartAttempt => ({
  ...{ type: 'StartAttempt', meta: metaBy('dispatcher:disp_1'), worker_id: 'work_1', n, account_id: 'acc_1' },
  ...{ render_id: 'rend_1', attempt_id: `att_${n}`, project_id: 'proj_1', frames: 30 },
  composition: { path: 'renders/rend_1/composition.json', sha256: 'ab' },
});

type Made = {
  readonly counted: string[];
  readonly said: RenderEvent[];
  readonly met: Impediment[];
};

const attemptWith = async (t: ExecutionContext, work: string, n: number, change: Partial<AttemptDependencies> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'attempt-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const ffmpeg_path = join(folder, 'ffmpeg');
  await writeFile(ffmpeg_path, `#!/bin/sh\ncase "$*" in *hash*|*version*) exec ffmpeg "$@";; esac\n${work}\n`);
  await chmod(ffmpeg_path, 0o755);
  const made: Made = { counted: [], said: [], met: [] };
  const attempt = startAttempt(
    command(n),
    {},
    {
      append: async (_topic, _key, record) => {
        if (isRenderEvent(record)) made.said.push(record);
        return null;
      },
      blobs: blobsWith({ getPayload: async () => composition }),
      assets: { provide: async () => new Map(), sizeOf: async () => 0 },
      segments: { of: () => NO_CACHE, clear: async () => undefined },
      claims: openPartClaims(),
      warm: coldPrograms(folder),
      helpDesk: openHelpCoordinator('work_1', () => undefined, SYSTEM_CLOCK),
      folder: { media: folder, segments: folder, render: () => mkdtemp(join(folder, 'one-')), remove: notCalled },
      ...{ ffmpeg_path, ffprobe_path: 'ffprobe', sandbox: UNCONFINED, cores: 1 },
      deadlines: attemptDeadlines(60),
      impediments: { report: (impediment) => made.met.push(impediment), reportSuccess: () => undefined },
      least_free_bytes: 1,
      rendered: () => undefined,
      spent: ({ attempt_id }) => made.counted.push(attempt_id),
      by: createMetaFactory('worker', 'work_1', SYSTEM_CLOCK),
      logger: createLogger('test', 'silent'),
      clock: SYSTEM_CLOCK,
      ...change,
    },
    new AbortController().signal,
    () => undefined,
  );
  await attempt.ended;
  return made;
};

// An encoder that crashes in its work, after it has reported its version.
const CRASHES = 'kill -SEGV $$';
const RENDERS = 'exec ffmpeg "$@"';

/** The attempts that counted as failed work, and the events of this one, whose encoder crashes. */
const crashed = async (t: ExecutionContext, n: number) => {
  const { counted, said } = await attemptWith(t, CRASHES, n);
  return { counted, said: said.map(({ type }) => type) };
};

test('a decoder crash loses the attempt, and counts only from the second attempt', async (t) => {
  t.deepEqual(await crashed(t, 1), { counted: [], said: ['AttemptLost'] });
  t.deepEqual(await crashed(t, 2), { counted: ['att_2'], said: ['AttemptLost'] });
});

const away = new BlobFault('unavailable', 'a', 'the store does not answer');
const gone = new BlobFault('not_found', 'a', 'there is no blob at a');
const HASTY: Clock = { ...SYSTEM_CLOCK, sleep: async () => undefined };

for (const [name, change, lost, met] of [
  ['a full disk', { least_free_bytes: Number.MAX_SAFE_INTEGER }, ['environment', 'disk_full'], ['disk']],
  [
    'an unavailable store',
    { blobs: blobsWith({ getPayload: () => Promise.reject(away) }), clock: HASTY },
    ['environment', 'blob_unavailable'],
    ['blob_store'],
  ],
  [
    'a composition of a newer version',
    { blobs: blobsWith({ getPayload: async () => Buffer.from('{ "engine": 99 }') }) },
    ['environment_version', 'composition_unreadable'],
    [],
  ],
  [
    'a missing composition',
    { blobs: blobsWith({ getPayload: () => Promise.reject(gone) }) },
    ['environment_payload', 'blob_not_found'],
    [],
  ],
  [
    'an exception',
    { blobs: blobsWith({ getPayload: () => Promise.reject(new Error('a mistake')) }) },
    ['surroundings', 'unexpected'],
    [],
  ],
] as const)
  test(`a lost attempt has the cause of its loss: ${name}`, async (t) => {
    const made = await attemptWith(t, CRASHES, 1, change);
    const [reason, detail] = lost;
    t.like(made.said, [{ type: 'AttemptLost', reason, detail }]);
    t.deepEqual([...new Set(made.met)], [...met]);
    t.deepEqual(made.counted, []);
  });

test('a finished render is stored after a store outage, blocking other work until then', async (t) => {
  let refused = 0;
  const upload: BlobStore['upload'] = async () => {
    refused += 1;
    // Fails more often than there are retries within half a minute.
    if (refused <= 10) throw away;
    return { size_bytes: 1, sha256: 'ab' };
  };
  const blobs = blobsWith({ getPayload: async () => composition, upload });
  const made = await attemptWith(t, RENDERS, 1, { blobs, clock: HASTY });
  t.deepEqual(
    made.said.map(({ type }) => type),
    ['RenderProgressed', 'RenderingFinished', 'RenderCompleted'],
  );
  t.deepEqual([...new Set(made.met)], ['blob_store']);
});

test('the first store failure is reported at once, and the attempt continues', async (t) => {
  let asked = 0;
  const getPayload = async () => {
    asked += 1;
    if (asked === 1) throw away;
    return composition;
  };
  const upload = async () => ({ size_bytes: 1, sha256: 'ab' });
  const made = await attemptWith(t, RENDERS, 1, { blobs: blobsWith({ getPayload, upload }), clock: HASTY });
  t.deepEqual([made.met, made.said.at(-1)?.type], [['blob_store'], 'RenderCompleted']);
});
