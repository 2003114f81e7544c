import anyTest, { type TestFn } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import * as io from 'io-ts';
import { RendersAnswer } from '../../cli/render/render-answers.ts';
import { STATUSES } from '../../domain/render/render.ts';
import { readServingGeneration } from '../../read-models/generations.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { SMALL_FILM, startLoad } from '../e2e/_load.ts';
import { importFilm, openService, type Service } from '../e2e/_service.ts';
import { killHalfWay } from '../helpers/kill-half-way.ts';
import { meanwhile } from '../helpers/meanwhile.ts';
import { caller } from '../helpers/renderctl.ts';
import { bearer, sendOnce } from '../integration/api/_client.ts';

// The long form of the test of rebuilds: the whole service, with clients, webhooks and a projector that is killed.
const test = anyTest as TestFn<{ readonly service: Service; readonly project_id: string }>;

test.before(async (t) => {
  t.timeout(300_000);
  const service = await openService({}, { own_servers: ['store'] });
  Object.assign(t.context, { service });
  t.context = { service, project_id: await importFilm(service, 'film', SMALL_FILM) };
});

test.after.always(async (t) => {
  t.timeout(90_000);
  await t.context.service?.close();
});

const Rebuilt = io.type({ generation: io.number, replaced: io.number });

const rebuild = async ({ stack }: Service, read_model: 'renders' | 'catalogue') => {
  const { exit_code, stdout, stderr } = await caller(stack.env)('rebuild', read_model, '--json');
  const answer = Rebuilt.decode(exit_code === 0 ? JSON.parse(stdout) : null);
  if (E.isLeft(answer)) throw new Error(`it was not rebuilt: ${stderr}`);
  return answer.right;
};

/** Reads the list of a project's renders repeatedly: no render disappears, and none returns to an earlier status. */
const watchList = ({ stack, seeded }: Service, project_id: string) => {
  const seen = new Map<string, string>();
  const faults: string[] = [];
  const ranks: readonly string[] = STATUSES;
  const look = async (): Promise<void> => {
    const url = `${stack.base_url}/v1/renders?project_id=${project_id}&limit=100`;
    const answer = await sendOnce(url, { headers: bearer(seeded.api_key) });
    const page = RendersAnswer.decode(answer.body);
    if (answer.status === 503) return;
    if (E.isLeft(page)) return void faults.push(`${answer.status}: ${answer.text}`);
    const now = new Map(page.right.data.map(({ id, status }) => [id, status]));
    for (const [id, status] of page.right.has_more ? [] : seen)
      if (ranks.indexOf(now.get(id) ?? '') < ranks.indexOf(status))
        faults.push(`${id} was ${status}, and is ${now.get(id)}`);
    for (const [id, status] of now) seen.set(id, status);
  };
  const watching = meanwhile(100, look);
  return {
    stop: async () => {
      await watching.stop();
      return { faults, seen: seen.size };
    },
  };
};

test.serial('rebuilds under load lose no render and announce each render once', async (t) => {
  t.timeout(600_000);
  const { service, project_id } = t.context;
  const { db } = service.clients.store;
  const load = startLoad(service, {
    ...{ project_id, clients: 1, between_ms: 2_000 },
    ...{ acknowledged_within_ms: 60_000, stands_still_after_ms: 120_000, say: t.log },
  });
  const list = watchList(service, project_id);
  const more = async (count: number): Promise<void> => {
    const from = load.posted();
    await Promise.race([load.broken, pollUntil(`${count} more`, async () => load.posted() >= from + count, 120_000)]);
  };
  await more(3);
  const renders = await rebuild(service, 'renders');
  await more(2);
  const catalogue = await rebuild(service, 'catalogue');
  t.deepEqual([renders.replaced, catalogue.replaced], [1, 1]);
  await more(2);

  const { generation } = await killHalfWay(service.stack, service.clients.store, () => rebuild(service, 'renders'));
  await more(2);
  t.is((await readServingGeneration(db, 'renders'))?.generation, generation);
  t.log(await load.settle(t));
  const { faults, seen } = await list.stop();
  t.deepEqual(faults, []);
  t.is(seen, load.posted());
});
