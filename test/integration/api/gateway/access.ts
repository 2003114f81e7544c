import { isDeepStrictEqual } from 'node:util';
import anyTest, { type TestFn } from 'ava';
import { ulid } from 'ulid';
import { renderId, renderIdTime } from '../../../../domain/render/render-id.ts';
import type { Upload } from '../../../../domain/uploads/upload.ts';
import { openUploads } from '../../../../read-models/uploads/uploads.ts';
import { ROUTES, routePatternAt } from '../../../../schemas/http/routes.ts';
import { pollUntil } from '../../../../stack/testing/until.ts';
import { caller } from '../../../helpers/renderctl.ts';
import {
  ACCOUNT,
  type Ask,
  apiOf,
  ask,
  asksFor,
  changesFor,
  type Ids,
  ROUTES_WITH_KEY,
  routeOf,
  STARTERS,
  sendAsk,
  sendAskOnce,
  TEAMS,
} from '../_asks.ts';
import { appendToCatalogue, issued, newKey } from '../_catalogue.ts';
import { type Answer, bearer, errorOf, idOf, send } from '../_client.ts';
import { startCountedApi } from '../_counted-api.ts';
import { requestsIn } from '../_life.ts';
import { addShowcase, type ShowcaseKeys } from '../_showcase.ts';
import { get, getOnce, OF_TEMPLATE, PLAIN, post, type World } from '../_world.ts';
import './_behind-the-gateway.ts';

// Access of every kind of key to every route, and the answers to refused requests.
type Context = World & { readonly showcase: ShowcaseKeys; readonly ours: Ids; readonly theirs: Ids };
const test = anyTest as TestFn<Context>;

const uploadId = (n: number): string => `upload_${String(n).padStart(32, '0')}`;

const openUpload = (n: number): Upload => ({
  ...{ id: uploadId(n), account_id: `acc_${n}`, team_id: `team_${n}`, name: 'logo.png', kind: 'image' },
  ...{ content_type: 'image/png', size_bytes: 10, sha256: null, state: 'open', created_at: 1, updated_at: 1 },
  ...{ expires_at: Date.now() + 3_600_000, queued_at: null, result: null, faults: [] },
});

/** The ids are old, so it is certain that nothing with them exists. */
const NOBODYS: Ids = {
  render: renderId(ulid(Date.now() - 3_600_000)),
  project: 'proj_none',
  template: 'tpl_none',
  team: 'team_none',
  user: 'user_none',
  upload: uploadId(0),
};

/**
 * A render that the key `other` has no access to. Waits until its id is so old that the answer is 404. For a new id it
 * is 503, because the render may not be folded yet.
 */
const oldRender = async (world: World, key: string, other: string, project_id: string): Promise<string> => {
  const id = idOf(await post(world, { ...PLAIN, project_id }, key));
  await pollUntil('the id is old', async () => (await get(world, `renders/${id}`, other)).status === 404);
  return id;
};

test.before(async (t) => {
  t.timeout(360_000);
  const world = t.context;
  const { keys } = world;
  const uploads = openUploads(world.clients.store.db);
  await Promise.all([1, 2].map((n) => uploads.insert(openUpload(n))));
  const [showcase, ours, theirs] = await Promise.all([
    addShowcase(world),
    oldRender(world, keys.ours, keys.theirs, 'proj_1'),
    oldRender(world, keys.theirs, keys.ours, 'proj_2'),
  ]);
  t.context = {
    ...world,
    showcase,
    ours: {
      render: ours,
      project: 'proj_1',
      template: 'tpl_sale',
      team: 'team_1',
      user: 'user_1',
      upload: uploadId(1),
    },
    theirs: {
      render: theirs,
      project: 'proj_2',
      template: 'tpl_sale',
      team: 'team_2',
      user: 'user_2',
      upload: uploadId(2),
    },
  };
});

/** Everything by which a client could distinguish two answers. */
const told = ({ status, text, headers }: Answer) => [
  status,
  text,
  [...headers].filter(([name]) => !['date', 'x-request-id', 'keep-alive'].includes(name) && !/^ratelimit/.test(name)),
];

test('the access tests request every route that requires a key', (t) => {
  const asked = [...asksFor(NOBODYS), ...changesFor(NOBODYS), TEAMS, ACCOUNT, STARTERS].map(routeOf);
  t.deepEqual(asked.toSorted(), ROUTES_WITH_KEY.toSorted());
});

test.serial('without a valid key every route answers 401 and does nothing', async (t) => {
  t.timeout(360_000);
  const before = await requestsIn(t.context);
  const { keys, ours } = t.context;
  const flipped = `${keys.ours.slice(0, -1)}${keys.ours.endsWith('0') ? '1' : '0'}`;
  const refused: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
    [{}, 'Authorization: must be given, as "Bearer <API key>"'],
    ...['', 'Bearer', 'Bearer ', keys.ours, `Basic ${keys.ours}`, `Token ${keys.ours}`, `Bearer ${keys.ours} x`].map(
      (value) => [{ Authorization: value }, 'Authorization: must be "Bearer <API key>"'] as const,
    ),
    ...['nonsense', `"${keys.ours}"`, keys.ours.slice(0, -1), flipped, keys.ours.toUpperCase(), 'x'.repeat(8_000)].map(
      (key) => [bearer(key), 'Authorization: is not an API key'] as const,
    ),
    ...[keys.unknown, keys.revoked, keys.expired].map(
      (key) => [bearer(key), 'Authorization: the key is not valid'] as const,
    ),
    [{ 'X-API-Key': keys.ours, Cookie: `key=${keys.ours}` }, 'Authorization: must be given, as "Bearer <API key>"'],
  ];
  const wrong: readonly Ask[] = [
    { method: 'POST', path: '/v1/renders', body: 'x'.repeat(300_000) },
    { method: 'POST', path: '/v1/renders', body: [] },
    { method: 'GET', path: `/v1/renders?limit=x&access_token=${keys.ours}&key=${keys.ours}` },
    { method: 'GET', path: '/v1/templates' },
  ];
  for (const [header, error] of refused) {
    await Promise.all(
      [...asksFor(ours), ...changesFor(ours), ...asksFor(NOBODYS), TEAMS, ACCOUNT, STARTERS, ...wrong].map(
        async (asked) => {
          const what = `${routeOf(asked)} ${JSON.stringify(header).slice(0, 100)}`;
          const answer = await sendAsk(apiOf(t.context, asked), asked, header);
          t.deepEqual([answer.status, errorOf(answer)], [401, error], what);
          t.is(answer.headers.get('www-authenticate'), 'Bearer', what);
        },
      ),
    );
  }
  const head = await send(`${t.context.reads}/teams`, { method: 'HEAD' });
  t.deepEqual([head.status, head.text, head.headers.get('www-authenticate')], [401, '', 'Bearer']);
  t.is(await requestsIn(t.context), before);
});

test('the gateway answers 401 to a revoked key and 404 to a foreign key', async (t) => {
  const { stack, keys, ours } = t.context;
  for (const asked of asksFor(ours)) {
    const refused = await sendAsk(stack.base_url, asked, bearer(keys.revoked));
    t.deepEqual([refused.status, refused.headers.get('www-authenticate')], [401, 'Bearer'], routeOf(asked));
    const strangers = await sendAsk(stack.base_url, asked, bearer(keys.theirs));
    t.is(strangers.status, 404, routeOf(asked));
  }
});

test('a key without the scope gets one answer for changes of any project', async (t) => {
  const { stack, keys, ours, theirs } = t.context;
  for (const ids of [ours, theirs, NOBODYS])
    for (const asked of changesFor(ids)) {
      t.is((await sendAsk(stack.base_url, asked, bearer(keys.revoked))).status, 401, routeOf(asked));
      const answer = await sendAsk(stack.base_url, asked, bearer(keys.ours));
      t.deepEqual([answer.status, /scope/.test(errorOf(answer) ?? '')], [403, true], routeOf(asked));
    }
});

test('a method that a path lacks gets 405 with the allowed methods, even keyless', async (t) => {
  const { stack, keys, ours } = t.context;
  for (const { path } of [...asksFor(ours), ...changesFor(ours), TEAMS, ACCOUNT, STARTERS]) {
    const url = `${stack.base_url}${path}`;
    const given = Object.keys(Object(ROUTES)[routePatternAt(path.split('?')[0] ?? '') ?? '']);
    const [gets, posts] = [given.includes('GET'), given.includes('POST')];
    const allow = [...(gets ? ['GET', 'HEAD'] : []), 'OPTIONS', ...(posts ? ['POST'] : [])].join(', ');
    const methods = ['PUT', 'PATCH', 'DELETE', ...(gets ? [] : ['GET']), ...(posts ? [] : ['POST'])];
    for (const method of methods) {
      const answers = await Promise.all([send(url, { method }), send(url, { method, headers: bearer(keys.ours) })]);
      for (const answer of answers) {
        t.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
        t.truthy(errorOf(answer));
      }
    }
  }
});

test('the scheme is accepted in any case, with spaces around the key', async (t) => {
  const { keys, reads } = t.context;
  for (const scheme of ['bearer', 'BEARER', 'Bearer  ']) {
    const answer = await send(`${reads}/teams`, { headers: { Authorization: `${scheme} ${keys.ours} ` } });
    t.is(answer.status, 200, scheme);
  }
});

/** The project lacks its file, so its still is not drawn. */
const OTHER_STATUS: Readonly<Record<string, number>> = { 'POST /v1/renders': 201, 'POST /v1/stills': 409 };

test('every kind of key of the team reaches every route', async (t) => {
  const { keys, showcase, ours } = t.context;
  for (const key of [keys.ours, showcase.member, keys.userless]) {
    for (const asked of asksFor(ours)) {
      const answer = await pollUntil('a cancellation is folded', async () => {
        const now = await ask(t.context, asked, key);
        return now.status === 202 ? null : now;
      });
      t.is(answer.status, OTHER_STATUS[routeOf(asked)] ?? 200, routeOf(asked));
    }
  }
});

test.serial('an unreachable resource is answered exactly like a missing one, on every route', async (t) => {
  t.timeout(360_000);
  const { keys, showcase, ours, theirs } = t.context;
  const before = await requestsIn(t.context);
  const cases = [
    ["another account's", keys.ours, theirs],
    ["another account's, without a user", keys.userless, theirs],
    ["the first account's", keys.theirs, ours],
    ['a user who was removed', showcase.removed, ours],
    ['a user who never was a member', showcase.stranger, ours],
  ] as const;
  for (const [who, key, ids] of cases) {
    const [outOfReach, absent] = [asksFor(ids), asksFor(NOBODYS)];
    for (const [i, asked] of outOfReach.entries()) {
      const other = absent[i];
      if (other === undefined) throw new Error('two lists of the same asks');
      const [one, two] = await Promise.all([ask(t.context, asked, key), ask(t.context, other, key)]);
      t.is(one.status, 404, `${who}: ${routeOf(asked)}`);
      t.truthy(errorOf(one));
      t.deepEqual(told(one), told(two), `${who}: ${routeOf(asked)}`);
    }
  }
  for (const key of [showcase.removed, showcase.stranger]) {
    t.deepEqual((await ask(t.context, TEAMS, key)).body, { data: [] });
    const projects = await get(t.context, 'projects', key);
    t.deepEqual([projects.status, errorOf(projects)], [400, 'team_id: is required, as this key reaches no team']);
  }
  t.is(await requestsIn(t.context), before);
});

test("a key cannot reach another account's project through its own template, user or team", async (t) => {
  const { theirs } = t.context;
  const absent: readonly (readonly [string, string])[] = [
    [`templates/tpl_sale?project_id=${theirs.project}`, 'there is no such project'],
    [`renders?project_id=${theirs.project}&search=sale&status=complete&cursor=x`, 'there is no such project'],
    [`projects?team_id=${theirs.team}&search=sale&cursor=x`, 'there is no such team'],
    [`users/${theirs.user}?team_id=team_1`, 'there is no such user'],
    ['teams/team_left', 'there is no such team'],
    ['users?team_id=team_left', 'there is no such team'],
    ['projects?team_id=team_left', 'there is no such team'],
  ];
  for (const [path, error] of absent) {
    const answer = await get(t.context, path);
    t.deepEqual([answer.status, errorOf(answer)], [404, error], path);
  }
});

test("another account's new render gets the same answer as an unknown new id", async (t) => {
  t.timeout(240_000);
  const { keys } = t.context;
  for (const path of ['', '/transitions'])
    await pollUntil('the render is still new when it is asked for', async () => {
      const id = idOf(await post(t.context, PLAIN));
      t.is((await get(t.context, `renders/${id}`)).status, 200);
      const began = Date.now();
      const [theirs, nobodys] = await Promise.all(
        [id, renderId(ulid(renderIdTime(id) ?? undefined))].map((one) =>
          getOnce(t.context, `renders/${one}${path}`, keys.theirs),
        ),
      );
      // The store of a busy machine answers late, and then either id can already be old.
      if (theirs === undefined || nobodys?.status !== theirs.status || theirs.status === 404) return false;
      t.deepEqual([theirs.status, nobodys.headers.get('retry-after')], [503, '1']);
      if (!/not known yet/.test(theirs.text) || !/not known yet/.test(nobodys.text)) return false;
      t.deepEqual(told(theirs), told(nobodys));
      t.true(Date.now() - began >= 1_900);
      return true;
    });
});

test.serial('unreachable and missing resources cause the same store commands, so timing reveals nothing', async (t) => {
  t.timeout(360_000);
  const { keys, theirs } = t.context;
  const apis = {
    GET: await startCountedApi(t.context, 'query-api'),
    POST: await startCountedApi(t.context, 'command-api'),
  };
  t.teardown(async () => {
    await Promise.all([apis.GET.stop(), apis.POST.stop()]);
  });
  /** Keys, pointers and progress are read about once a second in addition, so commands of every try are its own. */
  const commandsOf = async (asked: Ask): Promise<readonly string[]> => {
    const api = apis[asked.method];
    const tries: (readonly string[])[] = [];
    await pollUntil(`${routeOf(asked)} is served six times`, async () => {
      api.commands();
      const { status } = await sendAskOnce(api.url, asked, bearer(keys.ours));
      const commands = api.commands();
      // A store on a busy machine can be too slow for one of the requests.
      if (status === 503) return false;
      t.is(status, 404);
      tries.push(commands);
      return tries.length >= 6;
    });
    const countIn = (commands: readonly string[], one: string) => commands.filter((other) => other === one).length;
    return [...new Set(tries.flat())]
      .toSorted()
      .flatMap((one) =>
        Array.from({ length: Math.min(...tries.map((commands) => countIn(commands, one))) }, () => one),
      );
  };
  const absent = asksFor(NOBODYS);
  for (const [i, asked] of asksFor(theirs).entries()) {
    let [outOfReach, nobodys]: (readonly string[])[] = [[], []];
    // On a busy machine a request takes a second, and then every try can have the other commands.
    await pollUntil('both lists are equal', async () => {
      [outOfReach, nobodys] = [await commandsOf(asked), await commandsOf(absent[i] ?? asked)];
      return isDeepStrictEqual(outOfReach, nobodys);
    }).catch(() => undefined);
    t.deepEqual(outOfReach, nobodys, routeOf(asked));
    if (!['/v1/projects?', '/v1/teams/', '/v1/users?'].some((path) => asked.path.startsWith(path)))
      t.true((outOfReach ?? []).length > 0, `${routeOf(asked)} asks the store`);
  }
});

/** Requests to both APIs whose answers change once the key reaches nothing; 200 and 400 before. */
const PROBES: readonly Ask[] = [
  { method: 'GET', path: '/v1/projects/proj_1' },
  { method: 'POST', path: '/v1/renders', body: { ...OF_TEMPLATE, values: { size: 'big' } } },
];

const statusesOf = async (world: World, key: string): Promise<readonly number[]> =>
  (await Promise.all(PROBES.map((asked) => ask(world, asked, key)))).map(({ status }) => status);

const REACHED = [200, 400];

/**
 * Uses the key on both APIs without a pause during the change, so that every cache knows it.
 *
 * @returns the statuses of ten requests to each route after the change
 */
const afterChange = async (world: World, key: string, change: () => Promise<unknown>) => {
  let made = false;
  const use = async () => {
    while (!made) await statusesOf(world, key);
  };
  const users = [use(), use()];
  try {
    await change();
  } finally {
    made = true;
  }
  const after = await Promise.all(Array.from({ length: 10 }, () => statusesOf(world, key)));
  await Promise.all(users);
  return after;
};

const tenTimes = (statuses: readonly number[]) => Array.from({ length: 10 }, () => statuses);

const renderctlOf = ({ stack }: World) => {
  const call = caller(stack.env);
  return async (...args: readonly string[]) => {
    const { exit_code, stdout, stderr } = await call(...args, '--json');
    if (exit_code !== 0) throw new Error(`renderctl ${args.join(' ')}: ${stderr}`);
    return JSON.parse(stdout);
  };
};

const createKey = async (world: World, ...options: readonly string[]): Promise<{ key: string; id: string }> =>
  renderctlOf(world)('key', 'create', '--account', 'acc_1', '--team', 'team_1', ...options);

test('creation and revocation of a key are in effect when their commands return', async (t) => {
  t.timeout(360_000);
  const renderctl = renderctlOf(t.context);
  const rounds = Array.from({ length: 3 }, async () => {
    const { key, id } = await createKey(t.context);
    t.deepEqual(await statusesOf(t.context, key), REACHED);
    const after = await afterChange(t.context, key, () => renderctl('key', 'revoke', id));
    t.deepEqual(after, tenTimes([401, 401]));
  });
  await Promise.all(rounds);
});

test('a rotated key works beside the new one only through the overlap', async (t) => {
  t.timeout(360_000);
  const old = await createKey(t.context, '--user', 'user_plain');
  const overlap_until = Date.now() + 20_000;
  const next = await renderctlOf(t.context)('key', 'rotate', old.id, '--overlap', '20s');
  const of_old = await statusesOf(t.context, old.key);
  // On a busy machine the command itself can take longer than the overlap.
  if (Date.now() < overlap_until) t.deepEqual(of_old, REACHED);
  t.deepEqual(await statusesOf(t.context, next.key), REACHED);
  t.is(Object((await get(t.context, 'teams/team_1', next.key)).body).role, 'member', 'another key of the same user');
  await pollUntil(
    'the old key is refused',
    async () => (await statusesOf(t.context, old.key)).every((one) => one === 401),
    120_000,
  );
  t.true(Date.now() >= overlap_until);
  t.deepEqual(await statusesOf(t.context, next.key), REACHED);
});

test('a key rotated without an overlap is refused once the command returns', async (t) => {
  t.timeout(360_000);
  const old = await createKey(t.context);
  let next = '';
  const after = await afterChange(t.context, old.key, async () => {
    next = (await renderctlOf(t.context)('key', 'rotate', old.id, '--overlap', '0')).key;
  });
  t.deepEqual(after, tenTimes([401, 401]));
  t.deepEqual(await statusesOf(t.context, next), REACHED);
});

test('a key stops working when it expires', async (t) => {
  const { key, ...traits } = newKey();
  const expires_at = Date.now() + 10_000;
  await appendToCatalogue(t.context.clients.records, [issued('key_ending', { key, ...traits }, { expires_at })]);
  // On a busy machine the key can be folded after its end.
  await pollUntil('the key works, or has ended', async () => {
    return (await statusesOf(t.context, key)).every((one) => one !== 401) || Date.now() > expires_at;
  });
  await pollUntil('the key is refused', async () => (await statusesOf(t.context, key)).every((one) => one === 401));
  t.true(Date.now() >= expires_at);
});

test("a removed member's key stops at once, and an older key returns on re-adding", async (t) => {
  t.timeout(360_000);
  const renderctl = renderctlOf(t.context);
  const { id: user_id } = await renderctl('user', 'create');
  await renderctl('member', 'add', 'team_1', user_id, '--role', 'admin');
  const { key: personal } = await createKey(t.context, '--user', user_id);
  const { key, ...traits } = newKey();
  await appendToCatalogue(t.context.clients.records, [issued('key_of_before', { key, ...traits }, { user_id })]);
  await pollUntil('both keys work', async () => (await statusesOf(t.context, key)).join() === REACHED.join());
  t.deepEqual(await statusesOf(t.context, personal), REACHED);
  const after = await afterChange(t.context, key, () => renderctl('member', 'remove', 'team_1', user_id));
  t.deepEqual(after, tenTimes([404, 404]));
  t.deepEqual(await statusesOf(t.context, personal), [401, 401]);
  t.deepEqual((await ask(t.context, TEAMS, key)).body, { data: [] });
  t.is((await get(t.context, `users/${user_id}`, key)).status, 404, "not even the user's own key");
  await renderctl('member', 'add', 'team_1', user_id);
  await pollUntil(
    'every team is reachable again',
    async () => (await statusesOf(t.context, key)).join() === REACHED.join(),
  );
  t.deepEqual(await statusesOf(t.context, personal), [401, 401]);
});

test('a new role is visible once the command returns', async (t) => {
  t.timeout(360_000);
  const renderctl = renderctlOf(t.context);
  const { id: user_id } = await renderctl('user', 'create');
  await renderctl('member', 'add', 'team_1', user_id, '--role', 'admin');
  const { key } = await createKey(t.context, '--user', user_id);
  const role = async () => Object((await get(t.context, 'teams/team_1', key)).body).role;
  t.is(await role(), 'admin');
  await renderctl('member', 'role', 'team_1', user_id, 'member');
  t.is(await role(), 'member');
  // Looks only for this member, because other tests of this file add members to the team.
  const { data } = Object((await get(t.context, 'users?team_id=team_1')).body);
  t.is(data.find(({ id }: { readonly id: string }) => id === user_id)?.role, 'member');
});
