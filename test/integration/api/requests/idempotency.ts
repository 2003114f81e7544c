import { request as httpRequest } from 'node:http';
import type { ExecutionContext } from 'ava';
import fc from 'fast-check';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { prepared, requested } from '../../../helpers/render-events.ts';
import { appendToCatalogue, issued, meta, newKey, versionOf } from '../_catalogue.ts';
import { type Answer, bearer, errorOf, idOf, send } from '../_client.ts';
import { startCommandApi } from '../_command-api.ts';
import {
  appendRequest,
  derived,
  keyedBy,
  keyedOnce,
  logLength,
  oneRender,
  postKeyed,
  postKeyedOnce,
  requestsOf,
  whileFrozen,
} from '../_keyed.ts';
import { get, OF_TEMPLATE, PLAIN, post } from '../_world.ts';
import { type Context, test } from './_two-apis.ts';

const WAIT_MS = 60_000;

const killSecond = async ({ context: { second, stack } }: ExecutionContext<Context>): Promise<void> => {
  await second.api.kill();
  second.api = await startCommandApi(stack.env);
};

const sameBytes = (answers: readonly Answer[]): readonly string[] => [...new Set(answers.map(({ text }) => text))];

test.serial('a hundred concurrent requests with one key on two APIs create one render', async (t) => {
  t.timeout(240_000);
  const { renders, second, keys } = t.context;
  const body = { ...OF_TEMPLATE, values: { headline: 'Once', size: 64 } };
  let repeats = 0;
  const answers = await Promise.all(
    Array.from({ length: 100 }, async (_, i) => {
      const url = i % 2 === 0 ? renders : second.api.renders;
      const answer = await postKeyedOnce(url, keys.ours, 'hundred', body);
      if (answer.status !== 503) return answer;
      repeats += 1;
      return await postKeyed(url, keys.ours, 'hundred', body);
    }),
  );
  t.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  t.is(sameBytes(answers).length, 1);
  const [first] = answers;
  if (first === undefined) return t.fail('no answer');
  const id = idOf(first);
  t.is(id, derived(t.context, 'hundred', body).render_id);
  t.like(first.body, { status: 'initializing', updated_at: null, name: 'Spring sale', created_by: 'user_1' });
  for (const { headers } of answers) {
    t.is(headers.get('location'), `/v1/renders/${id}`);
    t.is(headers.get('link'), `</v1/renders/${id}/transitions>; rel="describedby"`);
  }
  await oneRender(t, id);
  t.true((await requestsOf(t.context, id)).length <= 2 + repeats, 'each API started one');
  // The API answers once the render is folded, so the next read finds it.
  const read = await get(t.context, `renders/${id}`);
  t.deepEqual([read.status, read.body], [200, first.body]);
});

test.serial('a repeat returns the render as it was created, at any later status', async (t) => {
  const body = { ...PLAIN, values: null };
  const first = await keyedBy(t.context, 'repeat', body);
  const id = idOf(first);
  const { clients, second, keys } = t.context;
  await clients.records.append('render-events', id, { ...prepared, render_id: id });
  await pollUntil(
    'the render is ready',
    async () => Object((await get(t.context, `renders/${id}`)).body).status === 'ready',
  );
  const before = await logLength(t.context);
  const repeats = [
    await keyedBy(t.context, 'repeat', body),
    await postKeyed(second.api.renders, keys.ours, 'repeat', body),
    // An equivalent body in another spelling, with another key of the same reach.
    await keyedBy(t.context, 'repeat', { values: null, project_id: 'proj_1', name: PLAIN.name }, keys.userless),
  ];
  for (const repeat of repeats) t.deepEqual([repeat.status, repeat.text], [201, first.text]);
  t.is(await logLength(t.context), before, 'a known request appends nothing');
});

test.serial('every answer, including repeats, names the ignored keys of values', async (t) => {
  const body = { ...OF_TEMPLATE, values: { headlin: 'Once', headline: 'Once' } };
  const { renders, second, keys } = t.context;
  const answers = [
    await postKeyed(renders, keys.ours, 'ignored', body),
    await postKeyed(renders, keys.ours, 'ignored', body),
    await postKeyed(second.api.renders, keys.ours, 'ignored', body),
  ];
  for (const { status, headers } of answers)
    t.deepEqual([status, headers.get('ignored-values')], [201, '"headlin";did-you-mean="headline"']);
});

test.serial('the same key with another body is refused and appends nothing', async (t) => {
  const first = await keyedBy(t.context, 'body', PLAIN);
  const before = await logLength(t.context);
  const others = [{ ...PLAIN, name: 'Other' }, { ...PLAIN, project_id: 'proj_none' }, {}, [], 5];
  for (const other of others) {
    const answer = await keyedBy(t.context, 'body', other);
    t.is(answer.status, 422, JSON.stringify(other));
    t.is(errorOf(answer), 'Idempotency-Key: was used with another body; use a new key for a new request');
  }
  t.is(await logLength(t.context), before);
  t.is((await keyedBy(t.context, 'body', PLAIN)).text, first.text);
});

test.serial('only one of two concurrent bodies with one key creates the render', async (t) => {
  t.timeout(240_000);
  const { renders, second, keys } = t.context;
  const bodies = [
    { ...PLAIN, name: 'One' },
    { ...PLAIN, name: 'Two' },
  ];
  for (let round = 0; round < 5; round += 1) {
    const key = `two-bodies-${round}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const url = i % 4 < 2 ? renders : second.api.renders;
        return { which: i % 2, answer: await postKeyed(url, keys.ours, key, bodies[i % 2]) };
      }),
    );
    const created = answers.filter(({ answer }) => answer.status === 201);
    t.is(sameBytes(created.map(({ answer }) => answer)).length, 1);
    t.is(new Set(created.map(({ which }) => which)).size, 1);
    t.is(created.length, 10);
    t.deepEqual(
      [...new Set(answers.filter(({ answer }) => answer.status !== 201).map(({ answer }) => answer.status))],
      [422],
    );
  }
});

test.serial('an invalid Idempotency-Key is refused with an error that names the header', async (t) => {
  const before = await logLength(t.context);
  const raw = (headers: readonly string[]) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const body = JSON.stringify(PLAIN);
      const sent = httpRequest(
        t.context.renders,
        {
          method: 'POST',
          headers: [
            'Host',
            new URL(t.context.renders).host,
            'Authorization',
            bearer(t.context.keys.ours).Authorization,
            'Content-Type',
            'application/json',
            'Content-Length',
            String(Buffer.byteLength(body)),
            ...headers,
          ],
        },
        async (response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const untilServed = (headers: readonly string[]) =>
    pollUntil('the store is not busy', async () => {
      const answer = await raw(headers);
      return answer.status === 503 ? null : answer;
    });
  const name = 'Idempotency-Key';
  const refused: readonly (readonly string[])[] = [
    [name, ''],
    [name, '   '],
    [name, 'a b'],
    [name, 'x'.repeat(256)],
    [name, 'schlüssel'],
    [name, Buffer.from('schlüssel').toString('latin1')],
    [name, 'a', name, 'b'],
    [name, 'a', name, 'a'],
    [name, '', name, ''],
    [name, 'a', 'idempotency-key', ''],
  ];
  for (const headers of refused) {
    const { status, text } = await untilServed(headers);
    t.is(status, 400, headers.join(' '));
    t.regex(
      text,
      /^\{"error":"Idempotency-Key: must be sent once, [^"]+","code":"invalid_header","param":"Idempotency-Key"\}$/,
    );
  }
  t.is(await logLength(t.context), before);
  for (const key of ['x'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'])
    t.is((await untilServed([name, key])).status, 201);
});

test.serial('keys of one account share their Idempotency-Keys but not their access', async (t) => {
  t.timeout(180_000);
  const { clients, keys } = t.context;
  const minted = newKey();
  await appendToCatalogue(clients.records, [
    {
      type: 'ProjectCreated',
      rules: 0,
      meta,
      project_id: 'proj_left',
      team_id: 'team_left',
      name: 'Left',
      created_by: null,
      payload: null,
    },
    versionOf('proj_left', 1, 'Left'),
    // The key is last, so the project is folded when the key is known.
    issued('key_left', minted, { team_ids: ['team_left'] }),
  ]);
  await pollUntil('the key is known', async () => (await get(t.context, 'teams', minted.key)).status === 200);
  const body = { ...PLAIN, name: 'Of one team' };
  const nowhere = await keyedBy(t.context, 'reach-none', { ...PLAIN, project_id: 'proj_none' }, minted.key);
  const created = await keyedBy(t.context, 'reach', body);
  t.is(created.status, 201);

  const repeat = await keyedBy(t.context, 'reach', body, minted.key);
  t.deepEqual([repeat.status, repeat.text], [404, nowhere.text]);
  // A changed body gets the same 404, because the key of another team must not reveal that the team used this
  // idempotency key.
  t.is((await keyedBy(t.context, 'reach', { ...body, name: 'Other' }, minted.key)).text, nowhere.text);
  t.is((await keyedBy(t.context, 'reach', { ...body, name: '' }, minted.key)).status, 400);
  // Every body gets the same answer, so that a client cannot guess what the other team sent.
  for (const name of [PLAIN.name, body.name, 'Another']) {
    const taken = await keyedBy(t.context, 'reach', { name, project_id: 'proj_left' }, minted.key);
    t.is(taken.status, 422);
    t.is(errorOf(taken), 'Idempotency-Key: is taken in this account; use a new key for a new request');
  }
  t.is((await keyedBy(t.context, 'reach', body)).text, created.text);

  const elsewhere = await keyedBy(t.context, 'reach', { ...PLAIN, project_id: 'proj_2' }, keys.theirs);
  t.is(elsewhere.status, 201, "another account's keys are separate");
  t.not(idOf(elsewhere), idOf(created));
});

test.serial('an old request with a multi-line name finds its render, a new one fails', async (t) => {
  const body = { ...PLAIN, name: 'Spring\u0007\u202esale' };
  const { render_id, request_hash } = derived(t.context, 'name-of-old', body);
  await appendRequest(t.context, requested({ render_id, request_hash, request: null, name: body.name }));
  const repeat = await keyedBy(t.context, 'name-of-old', body);
  t.deepEqual([repeat.status, idOf(repeat), Object(repeat.body).name], [201, render_id, body.name]);
  t.is(
    Object((await get(t.context, `renders/${render_id}`)).body).name,
    body.name,
    'and a read shows the current state',
  );

  const fresh = await keyedBy(t.context, 'name-of-now', body);
  t.is(fresh.status, 400);
  t.is(errorOf(fresh), 'name: must not contain control characters (U+0007 at position 7)');
});

test.serial('a refused request is refused again, and may succeed later', async (t) => {
  const before = await logLength(t.context);
  const refused = [
    [{ ...PLAIN, project_id: 'proj_none' }, 404],
    [{ ...PLAIN, project_id: 'proj_empty' }, 400],
    [{ ...PLAIN, template_id: 'tpl_none' }, 404],
    [{ ...OF_TEMPLATE, values: { size: 'big' } }, 400],
    [{ name: '' }, 400],
  ] as const;
  for (const [body, status] of refused) {
    for (let i = 0; i < 2; i += 1) {
      const answer = await keyedBy(t.context, 'refused', body);
      t.is(answer.status, status, JSON.stringify(body));
      t.truthy(errorOf(answer));
    }
  }
  t.is(await logLength(t.context), before);
  t.is((await keyedBy(t.context, 'refused', PLAIN)).status, 201, 'a refused request leaves its key unused');
});

test.serial('after a kill between append and answer, the retry gives the same render', async (t) => {
  t.timeout(360_000);
  const body = { ...OF_TEMPLATE, values: { headline: 'Killed' } };
  const { render_id } = derived(t.context, 'killed', body);
  await whileFrozen(t.context, 'projectors', async () => {
    const lost = postKeyedOnce(t.context.second.api.renders, t.context.keys.ours, 'killed', body);
    lost.catch(() => undefined);
    await pollUntil('the request is appended', async () => (await requestsOf(t.context, render_id)).length === 1);
    await killSecond(t);
    await t.throwsAsync(lost);
  });
  const retry = await keyedBy(t.context, 'killed', body);
  t.is(retry.status, 201);
  t.is(idOf(retry), render_id);
  await oneRender(t, render_id);
  t.is((await postKeyed(t.context.second.api.renders, t.context.keys.ours, 'killed', body)).text, retry.text);
});

test.serial('each key creates one render although APIs are killed at any moment', async (t) => {
  t.timeout(360_000);
  const { renders, second, keys } = t.context;
  const bodies = Array.from({ length: 60 }, (_, i) => ({ ...OF_TEMPLATE, values: { headline: `Number ${i}` } }));
  let answered = 0;
  let lost = 0;
  /** A client that retries until it has its render, on either API. */
  const client = async (body: unknown, number: number): Promise<Answer> => {
    for (let tries = number; ; tries += 1) {
      const url = tries % 3 === 0 ? renders : second.api.renders;
      const answer = await postKeyedOnce(url, keys.ours, `any-moment-${number}`, body).catch(() => null);
      if (answer?.status === 201) {
        answered += 1;
        return answer;
      }
      if (answer === null) lost += 1;
      else if (answer.status !== 503) throw new Error(`${answer.status} ${answer.text}`);
    }
  };
  const clients = bodies.map(client);
  for (const after of [5, 25, 45]) {
    await pollUntil(`${after} are answered`, async () => answered >= after, WAIT_MS);
    await killSecond(t);
  }
  const answers = await Promise.all(clients);
  t.log(`${lost} answers were lost`);
  t.is(new Set(answers.map(idOf)).size, bodies.length);
  for (const [number, answer] of answers.entries()) {
    await oneRender(t, idOf(answer));
    t.is((await keyedBy(t.context, `any-moment-${number}`, bodies[number])).text, answer.text);
  }
});

test.serial('if the fold is late, the outcome is unknown and a retry reveals it', async (t) => {
  t.timeout(360_000);
  const began = Date.now();
  await whileFrozen(t.context, 'projectors', async () => {
    const answers = await Promise.all([
      keyedOnce(t.context, 'late', PLAIN),
      postKeyedOnce(t.context.second.api.renders, t.context.keys.ours, 'late', PLAIN),
    ]);
    for (const answer of answers) {
      t.is(answer.status, 503);
      t.is(
        errorOf(answer),
        'the outcome is unknown: retry with the same Idempotency-Key, which creates only one render',
      );
      t.is(answer.headers.get('retry-after'), '1');
    }
    t.true(Date.now() - began >= 9_500 && Date.now() - began < 60_000);
    // No API can refuse a request while an earlier one with its key can still be accepted.
    const refused = await keyedOnce(t.context, 'late', { ...PLAIN, project_id: 'proj_none' });
    t.is(refused.status, 503);
    t.regex(String(errorOf(refused)), /^nothing was changed, but an earlier request .* may have been accepted/);
  });
  const retry = await keyedBy(t.context, 'late', PLAIN);
  t.is(retry.status, 201);
  await oneRender(t, idOf(retry));
  t.is((await keyedBy(t.context, 'late', { ...PLAIN, project_id: 'proj_none' })).status, 422);
});

test.serial('a retry returns an accepted, unfolded render that would now be refused', async (t) => {
  t.timeout(360_000);
  // As after a kill and a new version of the project without the template, while the read model is behind.
  const body = { ...PLAIN, template_id: 'tpl_of_yore' };
  const { render_id, request_hash } = derived(t.context, 'yore', body);
  let answer: Promise<Answer> | undefined;
  await whileFrozen(t.context, 'projectors', async () => {
    await appendRequest(t.context, requested({ render_id, request_hash, request: null, template_id: 'tpl_of_yore' }));
    answer = keyedBy(t.context, 'yore', body);
    t.is(
      await Promise.race([answer.then(({ status }) => status), get(t.context, 'teams').then(() => 'waits')]),
      'waits',
    );
  });
  const given = await answer;
  t.is(given?.status, 201);
  t.is(Object(given?.body).id, render_id);
});

test.serial('a later change of the project does not affect a retried request', async (t) => {
  t.timeout(180_000);
  const { clients } = t.context;
  const project_id = 'proj_changing';
  await appendToCatalogue(clients.records, [
    {
      type: 'ProjectCreated',
      rules: 0,
      meta,
      project_id,
      team_id: 'team_1',
      name: 'Changing',
      created_by: null,
      payload: null,
    },
    versionOf(project_id, 1, 'Changing'),
  ]);
  const body = { name: 'First version', project_id, template_id: 'tpl_sale', values: { headline: 'Hello' } };
  const created = await pollUntil('the version exists', async () => {
    const answer = await keyedBy(t.context, 'changed', body);
    return answer.status === 201 ? answer : null;
  });
  await appendToCatalogue(clients.records, [versionOf(project_id, 2, 'Changed', { templates: [] })]);
  await pollUntil('the template is gone', async () => (await post(t.context, body)).status === 404);
  const repeat = await keyedBy(t.context, 'changed', body);
  t.deepEqual([repeat.status, repeat.text], [201, created.text]);
});

const characterOf = (code: number): string => String.fromCharCode(code === 0x7f ? 0x20 : code);

test.serial('no malformed Idempotency-Key or body causes a server error', async (t) => {
  t.timeout(360_000);
  const header = fc.oneof(
    fc.constantFrom('fuzz-1', 'fuzz-2', '', ' ', 'a,b', '"quoted"'),
    // Only valid header characters, because a malformed header does not reach the service.
    fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map(characterOf), maxLength: 300 }),
  );
  const body = fc.oneof(
    fc.constantFrom(PLAIN, OF_TEMPLATE, { ...PLAIN, project_id: 'proj_none' }),
    fc.record({ name: fc.jsonValue(), project_id: fc.jsonValue(), values: fc.jsonValue() }, { requiredKeys: [] }),
    fc.jsonValue({ maxDepth: 100 }),
  );
  await fc.assert(
    fc.asyncProperty(header, body, async (key, candidate) => {
      const answer = await keyedBy(t.context, key, candidate);
      const expected = [201, 400, 404, 422].includes(answer.status);
      t.true(expected, `${answer.status} for ${JSON.stringify(key)} and ${JSON.stringify(candidate)}`);
      t.true(answer.status === 201 || errorOf(answer) !== null);
    }),
    { numRuns: 300 },
  );
  for (const text of [
    '['.repeat(100_000) + ']'.repeat(100_000),
    '{"a":1e999}',
    `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  ]) {
    const answer = await send(t.context.renders, {
      method: 'POST',
      body: text,
      headers: { ...bearer(t.context.keys.ours), 'Content-Type': 'application/json', 'Idempotency-Key': 'deep' },
    });
    t.is(answer.status, 400);
    t.regex(answer.text, /^\{"error":"the body (is nested|holds a number)/);
  }
});
