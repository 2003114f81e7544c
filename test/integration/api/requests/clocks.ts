import { renderCollectionsIn } from '../../../../read-models/renders/model.ts';
import { readWatermarks } from '../../../../read-models/renders/watermarks.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { startComponent } from '../../../helpers/component-process.ts';
import { scraped } from '../../../helpers/metrics.ts';
import { accountOf, accountWith, atOnce, PRICE, spendsExactly } from '../_accounts.ts';
import { postJson, postJsonOnce } from '../_client.ts';
import { test } from './_two-apis.ts';

const MONTH_MS = 31 * 86_400_000;
/** The lead of a process's clock, ms. */
const CLOCKS = [
  ['ahead', MONTH_MS],
  ['behind', -MONTH_MS],
] as const;

const withClock = (env: Readonly<Record<string, string>>, ahead_ms: number): Readonly<Record<string, string>> => {
  const program = `const now = Date.now; Date.now = () => now() + ${ahead_ms};`;
  return { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
};

test.serial('an API whose clock is a month off accepts only paid renders', async (t) => {
  t.timeout(360_000);
  for (const [name, ahead_ms] of CLOCKS) {
    const account = await accountWith(t.context, `api-${name}`, 3 * PRICE);
    const { url, end, kill } = await startComponent('command-api', withClock(t.context.stack.env, ahead_ms));
    t.teardown(kill);
    const answers = await atOnce(5, () => postJsonOnce(`${url}/v1/renders`, account.key, account.body));
    // The next requests go to an API with another clock.
    await spendsExactly(t, answers, 3, () => postJson(t.context.renders, account.key, account.body));
    await end();
  }
});

test.serial('a projector whose clock is a month off does not block credits', async (t) => {
  t.timeout(360_000);
  for (const [name, ahead_ms] of CLOCKS) {
    const account = await accountWith(t.context, `projector-${name}`, 20 * PRICE);
    const others = await accountOf(t.context, `others-${name}`);
    const { health_url, end, kill } = await startComponent('projectors', withClock(t.context.stack.env, ahead_ms));
    t.teardown(kill);
    await pollUntil('the projector folds a partition', async () => {
      await postJson(t.context.renders, others.key, others.body);
      return /^projection_lag_records\{.*topic="render-events"/m.test(await scraped(health_url));
    });
    const model = renderCollectionsIn(t.context.clients.store.db, 1);
    const { read_at: since } = await readWatermarks(model);
    const { marks, read_at } = await pollUntil(
      "every partition was folded since then, by the store's clock",
      async () => {
        const now = await readWatermarks(model);
        return now.marks.every(({ at }) => at > (since ?? 0)) && now;
      },
    );
    t.true(marks.every(({ at }) => at <= (read_at ?? 0)));
    const ask = () => postJsonOnce(t.context.renders, account.key, account.body);
    await spendsExactly(t, await atOnce(25, ask), 20, ask);
    await end();
  }
});
