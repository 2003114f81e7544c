import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import { foldRender } from '../../../domain/render/fold.ts';
import type { RenderFactAccepted } from '../../../domain/render/status.ts';
import { BlobFault } from '../../../platform/blob-store/blob-store.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { RetryingAppend } from '../../../render-workers/log/append-until-known.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { failedVersions } from '../../../render-workers/thumbnailer/failed-versions.ts';
import type { StoredThumbnail } from '../../../render-workers/thumbnailer/make-thumbnail.ts';
import { openThumbnailVersions } from '../../../render-workers/thumbnailer/shown-version.ts';
import { thumbnailOne } from '../../../render-workers/thumbnailer/thumbnailer.ts';
import type { AnyRecord } from '../../../schemas/any-record.ts';
import { SAMPLES } from '../../helpers/record-samples.ts';
import { assigned, completed, finished, prepared, progressed, requested } from '../../helpers/render-events.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';
import { projectJson, storedJson } from '../composition/_project.ts';

const STILL: StoredThumbnail = { path: 'a.jpg', content_type: 'image/jpeg', sha256: 'ab', width: 640, height: 360 };

const documentOf = () => {
  const assets = [storedJson('clip', 'video'), storedJson('logo', 'image'), storedJson('other-logo', 'image')];
  const decoded = decodeProjectDocument(projectJson({ assets }));
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  return decoded.right;
};
const DOCUMENT = documentOf();

const LIFE = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

const complete = (): RenderFactAccepted => {
  const folded = foldRender(LIFE.map((event, at) => ({ event, at })));
  const accepted = SAMPLES.find((record) => record.type === 'RenderFactAccepted');
  if (E.isLeft(folded) || folded.right === null || accepted?.type !== 'RenderFactAccepted')
    throw new Error('no render');
  return { ...accepted, render: folded.right };
};

const run = async (
  make: () => Promise<E.Either<string, StoredThumbnail>>,
  reached = false,
  signal = new AbortController().signal,
  failed = failedVersions(),
  change: Partial<Pick<Parameters<typeof thumbnailOne>[0], 'append' | 'versionOf'>> = {},
) => {
  const appended: AnyRecord[] = [];
  const places: unknown[] = [];
  let made = 0;
  const parts = {
    append: async (...[topic, key, record, { partition }]: Parameters<RetryingAppend>) => {
      appended.push(record);
      places.push({ topic, key, partition });
      return null;
    },
    failed,
    shown: { hasReached: async () => reached, markShown: () => undefined },
    versionOf: async () => E.right(DOCUMENT),
    make: async () => {
      made += 1;
      return await make();
    },
    by: createMetaFactory('preparer', 'prep_1', SYSTEM_CLOCK),
    logger: createLogger('test', 'silent'),
    clock: SYSTEM_CLOCK,
    ...change,
  };
  await thumbnailOne(parts, complete(), {}, signal);
  return { appended, made, places };
};

test('a thumbnail is appended once, with the version of the render that caused it', async (t) => {
  const { appended, made, places } = await run(async () => E.right(STILL));
  t.is(made, 1);
  t.deepEqual(places, [{ topic: 'catalogue-events', key: 'proj_1', partition: 0 }]);
  t.like(appended, [{ type: 'ProjectThumbnailMade', project_id: 'proj_1', version: 3, ...STILL }]);
  t.is(appended.length, 1);
});

test('no still is drawn if that version or a newer one has one', async (t) => {
  t.deepEqual(await run(async () => E.right(STILL), true), { appended: [], made: 0, places: [] });
});

test('a failure costs only the still, not the render', async (t) => {
  t.deepEqual(await run(async () => E.left('the font is missing')), { appended: [], made: 1, places: [] });
  const unexpected = async () => {
    throw new TypeError('of a program that is wrong');
  };
  t.deepEqual(await run(unexpected), { appended: [], made: 1, places: [] });
});

test("an exception costs only that version's still, and is not retried", async (t) => {
  const mistaken = async (): Promise<never> => {
    throw new TypeError('a mistake of ours');
  };
  const { signal } = new AbortController();
  for (const change of [{ versionOf: mistaken }, { append: mistaken }]) {
    const failed = failedVersions();
    const still = async () => E.right(STILL);
    t.deepEqual((await run(still, false, signal, failed, change)).appended, [], Object.keys(change).join());
    t.is((await run(still, false, signal, failed)).made, 0);
  }
});

test('impossible stills are not retried by the next render, delayed ones are', async (t) => {
  const signal = new AbortController().signal;
  const failed = failedVersions();
  const missing = async () => E.left('the font is missing');
  t.is((await run(missing, false, signal, failed)).made, 1);
  t.is((await run(missing, false, signal, failed)).made, 0);
  const held_up = failedVersions();
  const away = async () => {
    throw new BlobFault('unavailable', 'a.mp4', 'the store is away');
  };
  t.is((await run(away, false, signal, held_up)).made, 3);
  t.is((await run(async () => E.right(STILL), false, signal, held_up)).made, 1);
});

test('an aborted job does not count as done', async (t) => {
  const stop = new AbortController();
  const broken = async () => {
    stop.abort();
    throw new Error('broken off');
  };
  await t.throwsAsync(run(broken, false, stop.signal), { name: 'AbortError' });
});

test('a version counts as missing only after the store is available and current', async (t) => {
  const clock = virtualClock();
  let is_behind = true;
  const shown = openThumbnailVersions(
    async () => {
      if (is_behind) throw new Error('the store is behind the notification');
      return 3;
    },
    createLogger('test', 'silent'),
    clock,
  );
  const { signal } = new AbortController();
  let reached: boolean | null = null;
  const asked = shown.hasReached('proj_1', 3, signal).then((answer) => {
    reached = answer;
  });
  await clock.advance(60_000);
  t.is(reached, null);
  is_behind = false;
  await clock.advance(60_000);
  await asked;
  t.true(reached);
});
