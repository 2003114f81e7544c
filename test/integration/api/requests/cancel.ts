import { ulid } from 'ulid';
import type { RenderEvent } from '../../../../domain/render/events.ts';
import { renderId, renderIdTime } from '../../../../domain/render/render-id.ts';
import { mintUlid } from '../../../../platform/identity/mint-ulid.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { assigned, completed, finished, prepared, progressed, requested } from '../../../helpers/render-events.ts';
import { accountWith, PRICE } from '../_accounts.ts';
import { type Answer, bearer, errorOf, idOf, postJson, postJsonOnce, send } from '../_client.ts';
import { appendRequest, documentOf, logLength, postKeyed, whileFrozen } from '../_keyed.ts';
import { append, untilStatus } from '../_life.ts';
import { get, OF_TEMPLATE, PLAIN, post, type World } from '../_world.ts';
import { test } from './_two-apis.ts';

const cancelAt = (renders: string, id: string, key: string): Promise<Answer> =>
  send(`${renders}/${id}/cancel`, { method: 'POST', headers: bearer(key) });

const cancel = ({ renders, keys }: World, id: string, key = keys.ours): Promise<Answer> => cancelAt(renders, id, key);

/** Retries, as clients do, while the end of the render is not folded yet (202). */
const cancelled = (world: World, id: string, key = world.keys.ours): Promise<Answer> =>
  pollUntil(`${id} is cancelled`, async () => {
    const answer = await cancel(world, id, key);
    return answer.status === 202 ? null : answer;
  });

const LIFE: readonly (readonly [string, string, RenderEvent | null])[] = [
  ['initializing', 'preparation', null],
  ['ready', 'dispatch', prepared],
  ['queued', 'dispatch', assigned('att_1', 1)],
  ['processing', 'rendering', progressed('att_1')],
  ['finalizing', 'storing', finished('att_1')],
];

const renderWith = async (world: World, events: number): Promise<string> => {
  const id = idOf(await post(world, PLAIN));
  await append(
    world,
    id,
    LIFE.slice(0, events).flatMap(([, , event]) => event ?? []),
  );
  await untilStatus(world, id, LIFE[events - 1]?.[0] ?? '');
  return id;
};

test.serial('a render can be cancelled in each status, and then never completes', async (t) => {
  for (const [i, [status, stage]] of LIFE.entries()) {
    const id = await renderWith(t.context, i + 1);
    const answer = await cancelled(t.context, id);
    t.is(answer.status, 200, status);
    t.like(answer.body, { id, status: 'failed', name: PLAIN.name });
    t.is(answer.headers.get('link'), `</v1/renders/${id}/transitions>; rel="describedby"`);
    const { body } = await get(t.context, `renders/${id}/transitions`);
    const [last, ...earlier] = Object(body).data.toReversed();
    t.is(earlier[0].status, status);
    t.like(last, { status: 'failed', attempt: null });
    t.deepEqual(last.failure, { stage, code: 'cancelled', message: 'the render was cancelled' });
    await append(t.context, id, [...LIFE.flatMap(([, , event]) => event ?? []), completed('att_1')]);
    await pollUntil('the late events are folded', async () => (await documentOf(t.context, id))?.ignored_count === 5);
    t.deepEqual((await get(t.context, `renders/${id}`)).body, answer.body);
  }
});

test.serial('a repeated cancellation appends nothing and gets the same answer from any process', async (t) => {
  const { keys, second } = t.context;
  const id = await renderWith(t.context, 2);
  const first = await cancelled(t.context, id);
  const length = await logLength(t.context);
  const repeats = await Promise.all([
    cancel(t.context, id),
    cancelAt(second.api.renders, id, keys.userless),
    postJson(`${t.context.renders}/${id}/cancel`, keys.ours, {}),
    postJson(`${t.context.renders}/${id}/cancel`, keys.ours, { reason: 'later versions may use members' }),
  ]);
  for (const repeat of repeats) t.deepEqual([repeat.status, repeat.text], [200, first.text]);
  t.is(await logLength(t.context), length);
});

test.serial('fifty concurrent cancellations get one answer, and each process appends at most once', async (t) => {
  const { keys, second, renders } = t.context;
  const id = await renderWith(t.context, 4);
  const length = await logLength(t.context);
  const at = (i: number) => (i % 2 === 0 ? renders : second.api.renders);
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => cancelAt(at(i), id, keys.ours)));
  // Each process allows an account a limited number of waiting requests; the others get 202.
  t.true(answers.every(({ status }) => status === 200 || status === 202));
  const { text } = await cancelled(t.context, id);
  for (const answer of answers) if (answer.status === 200) t.is(answer.text, text);
  t.true((await logLength(t.context)) - length <= 2);
  t.is((await documentOf(t.context, id))?.render?.seq, 5);
});

test.serial('a final render cannot be cancelled, nor one from before cancellation existed', async (t) => {
  const done = await renderWith(t.context, 5);
  await append(t.context, done, [completed('att_1')]);
  await untilStatus(t.context, done, 'complete');
  const refused = await cancel(t.context, done);
  t.deepEqual([refused.status, errorOf(refused)], [409, `render ${done} is already complete`]);

  const faulty = idOf(await post(t.context, OF_TEMPLATE));
  const fault = { stage: 'preparation', code: 'font_unknown', message: 'no such font', field: null };
  const meta = { ...prepared.meta, actor: 'preparer:p' };
  await append(t.context, faulty, [{ type: 'RenderFailed', meta, render_id: faulty, attempt_id: null, ...fault }]);
  await untilStatus(t.context, faulty, 'failed');
  const late = await cancel(t.context, faulty);
  t.deepEqual([late.status, errorOf(late)], [409, `render ${faulty} has already failed`]);

  const older = renderId(mintUlid());
  await appendRequest(t.context, requested({ render_id: older, request: null, fold_version: 1 }));
  await untilStatus(t.context, older, 'initializing');
  const before = await logLength(t.context);
  const answer = await cancel(t.context, older);
  t.is(answer.status, 409);
  t.is(
    errorOf(answer),
    `render ${older} cannot be cancelled: it was requested before the service supported cancellation`,
  );
  t.is(await logLength(t.context), before);
});

test.serial('an inaccessible render gets the same answer as a missing one', async (t) => {
  const { id: _, key } = await accountWith(t.context, 'stranger', 0);
  const id = await renderWith(t.context, 1);
  const length = await logLength(t.context);
  const old = renderId('01JD0000000000000000000001');
  const of_same_age = renderId(ulid(renderIdTime(id) ?? undefined));
  // The API treats both alike: it waits for each, because the render may not be folded yet.
  const [foreign, unknown] = await pollUntil('both are answered', async () => {
    const [one, other] = await Promise.all(
      [id, of_same_age].map((each) => postJsonOnce(`${t.context.renders}/${each}/cancel`, key, {})),
    );
    const isOfRender = (answer: Answer | undefined): boolean => /not known yet|no such render/.test(answer?.text ?? '');
    return isOfRender(one) && isOfRender(other) && one?.status === other?.status && [one, other];
  });
  t.deepEqual(foreign?.text, unknown?.text);
  const none = await cancel(t.context, old);
  t.deepEqual([none.status, errorOf(none)], [404, 'there is no such render']);
  t.is((await cancel(t.context, 'rend_none')).status, 404);
  t.is((await cancel(t.context, id, 'vr_none')).status, 401);
  t.is(await logLength(t.context), length);
});

test.serial('a cancellation whose body is no object is refused', async (t) => {
  const { keys, renders } = t.context;
  const id = await renderWith(t.context, 1);
  for (const body of [[], 'x', 5, null]) t.is((await postJson(`${renders}/${id}/cancel`, keys.ours, body)).status, 400);
  const headers = { ...bearer(keys.ours), 'Content-Type': 'text/plain' };
  t.is((await send(`${renders}/${id}/cancel`, { method: 'POST', headers, body: '{}' })).status, 415);
  const json = { ...headers, 'Content-Type': 'application/json' };
  t.is((await send(`${renders}/${id}/cancel`, { method: 'POST', headers: json, body: '{' })).status, 400);
  t.is((await send(`${renders}/${id}/cancel`, { headers })).status, 405);
  t.like((await get(t.context, `renders/${id}`)).body, { status: 'initializing' });
});

test.serial('a cancellation releases held credits once', async (t) => {
  const account = await accountWith(t.context, 'canceller', PRICE);
  const ask = () => postKeyed(t.context.renders, account.key, mintUlid(), account.body);
  const id = idOf(await ask());
  t.is((await ask()).status, 402);
  t.is((await cancelled(t.context, id, account.key)).status, 200);
  const next = await pollUntil('the credits are available again', async () => {
    const answer = await ask();
    return answer.status === 201 ? answer : null;
  });
  t.is((await cancelled(t.context, idOf(next), account.key)).status, 200);
});

test.serial('while the fold is stopped, one cancellation is accepted and takes effect later', async (t) => {
  t.timeout(240_000);
  const id = await renderWith(t.context, 2);
  const length = await logLength(t.context);
  await whileFrozen(t.context, 'projectors', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => cancel(t.context, id)));
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [202]);
    t.like(answers[0]?.body, { id, status: 'ready' });
    t.is((await cancel(t.context, id)).status, 202);
    t.is((await logLength(t.context)) - length, 1);
  });
  await untilStatus(t.context, id, 'failed');
  t.is((await cancel(t.context, id)).status, 200);
});
