import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { compose } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../../domain/composition/project-document.ts';
import type { StartAttempt } from '../../../domain/dispatch/commands.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { NO_CACHE } from '../../../render-workers/engine/cache/segment-cache.ts';
import { author } from '../../../render-workers/log/record-author.ts';
import { startAttempt } from '../../../render-workers/worker/attempt.ts';
import { attemptDeadlines } from '../../../render-workers/worker/attempt-deadlines.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { BARE_PROJECT } from './_bare-project.ts';
import { blobsWith, notCalled } from './_blobs.ts';

const final = E.flatMap((project: ProjectDocument) => compose(project, null, {}))(decodeProjectDocument(BARE_PROJECT));
if (E.isLeft(final)) throw new Error('not composed');
const composition = Buffer.from(canonicalJson(final.right));

const command = (n: number): StartAttempt => ({
  ...{ type: 'StartAttempt', meta: metaBy('dispatcher:disp_1'), worker_id: 'work_1', n, account_id: 'acc_1' },
  ...{ render_id: 'rend_1', attempt_id: `att_${n}`, project_id: 'proj_1', frames: 30 },
  composition: { path: 'renders/rend_1/composition.json', sha256: 'ab' },
});

/** The attempts that counted as failed work, and what was said of this one, whose encoder crashes. */
const crashed = async (t: ExecutionContext, n: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'attempt-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const ffmpeg_path = join(folder, 'ffmpeg');
  // It says what it is, and then crashes at its work.
  await writeFile(ffmpeg_path, '#!/bin/sh\ncase "$*" in *hash*|*version*) exec ffmpeg "$@";; esac\nkill -SEGV $$\n');
  await chmod(ffmpeg_path, 0o755);
  const [counted, said]: [string[], string[]] = [[], []];
  const attempt = startAttempt(
    command(n),
    {},
    {
      append: async (_topic, _key, record) => {
        said.push(record.type);
        return null;
      },
      blobs: blobsWith({ getPayload: async () => composition }),
      assets: { provide: async () => new Map(), sizeOf: async () => 0 },
      segments: { of: () => NO_CACHE, clear: notCalled, settle: notCalled },
      folder: { media: folder, segments: folder, render: () => mkdtemp(join(folder, 'one-')), remove: notCalled },
      ...{ ffmpeg_path, ffprobe_path: 'ffprobe', sandbox: UNCONFINED, cores: 1 },
      deadlines: attemptDeadlines(60),
      rendered: () => undefined,
      spent: ({ attempt_id }) => counted.push(attempt_id),
      by: author('worker', 'work_1', SYSTEM_CLOCK),
      logger: createLogger('test', 'silent'),
      clock: SYSTEM_CLOCK,
    },
    new AbortController().signal,
    () => undefined,
  );
  await attempt.ended;
  return { counted, said };
};

test('where a decoder dies, the first attempt may have failed by its machine, and what the next took counts', async (t) => {
  t.deepEqual(await crashed(t, 1), { counted: [], said: ['AttemptLost'] });
  t.deepEqual(await crashed(t, 2), { counted: ['att_2'], said: ['AttemptLost'] });
});
