import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { RendersAnswer } from '../../cli/render/render-answers.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { type Look, readAsOf } from '../e2e/_as-of.ts';
import { SMALL_FILM, startLoad } from '../e2e/_load.ts';
import { importFilm, openService } from '../e2e/_service.ts';
import { meanwhile } from '../helpers/meanwhile.ts';
import { bearer, send } from '../integration/api/_client.ts';

const RENDERS = 30;
const MOMENTS = 1_000;

// The long form of a check in the test of a render's whole life, which reads at fifty times.
test('a render as of a past time matches what clients saw, within two seconds', async (t) => {
  t.timeout(300_000);
  const service = await openService();
  t.teardown(service.close);
  const { stack, seeded } = service;
  const project_id = await importFilm(service, 'film', SMALL_FILM);
  const looks: Look[] = [];
  const watching = meanwhile(50, async () => {
    const asked_at = Date.now();
    const url = `${stack.base_url}/v1/renders?project_id=${project_id}&limit=100`;
    const page = RendersAnswer.decode((await send(url, { headers: bearer(seeded.api_key) })).body);
    const answered_at = Date.now();
    for (const render of E.isRight(page) ? page.right.data : []) looks.push({ asked_at, answered_at, render });
  });
  const load = startLoad(service, {
    ...{ project_id, clients: 2, between_ms: 500 },
    ...{ acknowledged_within_ms: 60_000, stands_still_after_ms: 120_000, say: t.log },
  });
  await Promise.race([load.broken, pollUntil('the renders are posted', async () => load.posted() >= RENDERS, 120_000)]);
  t.log(await load.settle(t));
  await watching.stop();
  const { wrong, counts } = await readAsOf(service, looks, MOMENTS);
  t.log(JSON.stringify(counts), `of ${looks.length} looks`);
  t.deepEqual(wrong, []);
  t.true(counts.seen > 0.9 * (MOMENTS - counts.absent));
});
