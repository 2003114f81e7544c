import { readdir, readFile } from 'node:fs/promises';
import { COLLECTIONS } from '../../../read-models/collections.ts';
import type { FailedWorkDocument } from '../../../read-models/renders/failed-work.ts';
import { renderDocument } from '../../../read-models/renders/renders.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type Answer, bearer, errorOf, send } from '../../integration/api/_client.ts';
import { LASTING } from '../_films.ts';
import {
  importFilm,
  OVER_WITHIN_MS,
  posted,
  type Service,
  transitionsOf,
  untilOver,
  untilStatus,
} from '../_service.ts';
import { assertLife } from '../_whole-life.ts';
import { test } from './_service-in-common.ts';

const cancel = ({ stack, seeded }: Service, id: string): Promise<Answer> =>
  send(`${stack.base_url}/v1/renders/${id}/cancel`, { method: 'POST', headers: bearer(seeded.api_key) });

const attemptOf = async ({ clients }: Service, id: string): Promise<string> =>
  (await renderDocument(clients.store.db, id))?.render?.attempts.at(-1)?.id ?? '';

/** Processes that work in the folder of an attempt, whose name contains the id of the attempt. */
const programsOf = async (attempt_id: string): Promise<readonly string[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(attempt_id) && line.includes('ffmpeg'));
};

const IN_TIME_MS = 60_000;

test.serial('a waiting or running render stops when it is cancelled, and other renders continue', async (t) => {
  t.timeout(600_000);
  const { service, film } = t.context;
  const long = await importFilm(service, 'to be cancelled', LASTING);
  const early = await posted(service, long);
  const cancelled = async (id: string): Promise<Answer> => {
    const answer = await cancel(service, id);
    t.is(answer.status, 200, answer.text);
    return answer;
  };
  await cancelled(early.id);
  // The preparers run in parallel, so the second render can get the slot.
  const both = [await posted(service, long), await posted(service, long)];
  const running = await Promise.race(both.map(({ id }) => untilStatus(service, id, ['processing'], OVER_WITHIN_MS)));
  const waiting = both.find(({ id }) => id !== running.id) ?? running;
  await cancelled(waiting.id);
  const attempt_id = await attemptOf(service, running.id);
  await pollUntil('the render is being encoded', async () => (await programsOf(attempt_id)).length > 0, IN_TIME_MS);

  const twice = await Promise.all([cancelled(running.id), cancelled(running.id)]);
  t.is(twice[0]?.text, twice[1]?.text);
  t.like(twice[0]?.body, { id: running.id, status: 'failed' });
  const answered_at = Date.now();
  await pollUntil('its programs have ended', async () => (await programsOf(attempt_id)).length === 0, IN_TIME_MS);
  t.log(`its programs were gone ${Date.now() - answered_at} ms after the answer`);

  // Checks that the slot is free again, and that the wasted work counts as failed work.
  const next = await posted(service, film);
  t.is((await untilOver(service, next.id)).status, 'complete');
  const done = await cancel(service, next.id);
  t.deepEqual([done.status, errorOf(done)], [409, `render ${next.id} is already complete`]);
  const counted = service.clients.store.db.collection<FailedWorkDocument>(COLLECTIONS.failed_work);
  const found = await pollUntil('its work is counted', () => counted.findOne({ counted: attempt_id }), IN_TIME_MS);
  t.true(found.cpu_ms > 0);

  for (const { id } of [running, waiting, early]) {
    const transitions = await transitionsOf(service, id);
    t.like(transitions.at(-1)?.failure, { code: 'cancelled', message: 'the render was cancelled' });
    t.is((await renderDocument(service.clients.store.db, id))?.render?.charged_credits, 0);
  }
  t.is((await transitionsOf(service, running.id)).at(-1)?.failure?.stage, 'rendering');
  await assertLife(t, service, running.id, ['initializing', 'ready', 'queued', 'processing', 'failed']);
});
