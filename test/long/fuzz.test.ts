import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { longStalls, stallOption, stallsIn, unmeasuredPrograms } from '../../stack/testing/stalls.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { JSON_TYPE } from '../integration/api/_asks.ts';
import { type Answer, bearer, errorOf, sendOnce } from '../integration/api/_client.ts';
import { longRenderBodies } from '../integration/api/_long-input.ts';
import { address, bodyText, headers } from '../integration/api/_open-input.ts';
import { sendRaw } from '../integration/api/_raw.ts';
import { get, OF_TEMPLATE, PLAIN, post, startWorld, type World } from '../integration/api/_world.ts';

// Any input gets a well-formed answer, never a server error or internal details.
const test = anyTest as TestFn<World & { readonly stalls: string; readonly since: number }>;

test.before(async (t) => {
  t.timeout(180_000);
  const stalls = join(tmpdir(), `fuzz-stalls-${process.pid}`);
  // A small heap is collected sooner, so that leaks are visible among garbage.
  const NODE_OPTIONS = `--max-old-space-size=96 ${stallOption(stalls)}`;
  const world = await startWorld({ components: ['gateway'], env: { NODE_OPTIONS } });
  // Counts stalls only from now on, because a starting process does not answer while it loads its modules.
  t.context = { ...world, stalls, since: Date.now() };
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.stop?.();
  if (t.context.stalls !== undefined) await rm(t.context.stalls, { force: true });
});

const APIS = ['query-api', 'command-api', 'gateway'] as const;
type Api = (typeof APIS)[number];

/** No odd request blocks others: no event loop is blocked for 100 ms. */
test.afterEach((t) => {
  t.deepEqual(unmeasuredPrograms(t.context.stalls, APIS), []);
  t.deepEqual(longStalls(stallsIn(t.context.stalls, APIS, t.context.since)), []);
});

const urlOf = ({ stack }: World, api: Api): string => stack.component(api).url ?? '';

/** Words from the inside of the service that no test here sends. */
const INSIDE =
  /node_modules|node:internal|\.[jt]s:\d|\bat \S+ \(|\/work\/|\/tmp\/|\/home\/|mongo|kafka|secantus|azur|restify|find-my-way|fp-ts|bson|Error:|ECONN|EPIPE|_g\d\b/i;
const LONGEST_ERROR = 4_096;

const faultOf = ({ status, text, headers: sent, body }: Answer): string | null => {
  if (status >= 500 && (status !== 503 || sent.get('retry-after') === null)) return `${status} ${text}`;
  const told = `${[...sent].join('\n')}\n${text}`;
  if (INSIDE.test(told.replace(/"https?:[^"]*"/g, ''))) return `tells of the inside: ${text}`;
  if (status >= 400 && sent.get('content-type') !== 'application/json')
    return `Content-Type ${sent.get('content-type')}`;
  if (status >= 400 && text !== '' && !errorOf({ status, text, headers: sent, body })) return `no {error}: ${text}`;
  if (status >= 400 && text.length > LONGEST_ERROR) return `an error of ${text.length} characters`;
  return null;
};

/** @returns the shortened request with the fault of its answer */
const asked = async (what: string, answer: Promise<Answer>): Promise<string | null> => {
  const fault = await answer.then(faultOf, (error: unknown) => String(error));
  return fault === null ? null : `${what.slice(0, 200)}… (${what.length}): …${fault.slice(-300)}`;
};

const getOdd = (url: string, key: string, path: string, odd: Readonly<Record<string, string>> = {}) =>
  asked(`GET ${path} ${JSON.stringify(odd)}`, sendOnce(`${url}${path}`, { headers: { ...odd, ...bearer(key) } }));

const postOdd = (url: string, key: string, body: string, odd: Readonly<Record<string, string>> = {}) => {
  const request = { method: 'POST', body, headers: { ...JSON_TYPE, ...odd, ...bearer(key) } };
  return asked(`POST ${body} ${JSON.stringify(odd)}`, sendOnce(`${url}/v1/renders`, request));
};

test('no malformed address causes a server error', async (t) => {
  t.timeout(120_000);
  const { keys } = t.context;
  for (const [api, numRuns] of [
    ['query-api', 400],
    ['gateway', 100],
    ['command-api', 100],
  ] as const)
    await fc.assert(
      fc.asyncProperty(address, async (path) => {
        t.is(await getOdd(urlOf(t.context, api), keys.ours, path), null);
      }),
      { numRuns },
    );
});

test('no malformed body causes a server error', async (t) => {
  t.timeout(120_000);
  const { keys } = t.context;
  for (const [api, numRuns] of [
    ['command-api', 250],
    ['gateway', 100],
  ] as const) {
    for (const body of longRenderBodies()) t.is(await postOdd(urlOf(t.context, api), keys.ours, body), null);
    await fc.assert(
      fc.asyncProperty(bodyText, async (body) => {
        t.is(await postOdd(urlOf(t.context, api), keys.ours, body), null);
      }),
      { numRuns },
    );
  }
});

test('no malformed header causes a server error', async (t) => {
  t.timeout(120_000);
  const { keys } = t.context;
  const body = JSON.stringify({ ...OF_TEMPLATE, values: { size: 'big' } });
  for (const api of ['query-api', 'gateway'] as const)
    await fc.assert(
      fc.asyncProperty(headers, async (odd) => {
        t.is(await getOdd(urlOf(t.context, api), keys.ours, '/v1/teams/team_1', odd), null);
        t.is(
          (await sendOnce(`${urlOf(t.context, api)}/v1/teams/team_1`, { headers: { ...odd, ...bearer(keys.ours) } }))
            .status,
          200,
        );
      }),
      { numRuns: 60 },
    );
  await fc.assert(
    fc.asyncProperty(headers, async (odd) => {
      t.is(await postOdd(urlOf(t.context, 'command-api'), keys.ours, body, odd), null);
    }),
    { numRuns: 60 },
  );
});

test('value keys that every object inherits pass the same checks as others', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    for (const path of [`projects/${name}`, `teams/${name}`, `users/${name}`, `renders/${name}`])
      t.is((await get(t.context, path)).status, 404, path);
    for (const path of [`templates?project_id=${name}`, `users?team_id=${name}`, `templates/${name}?project_id=proj_1`])
      t.is((await get(t.context, path)).status, 404, path);
    for (const path of [`renders?project_id=proj_1&status=${name}`, `renders?project_id=proj_1&order=${name}`])
      t.is((await get(t.context, path)).status, 400, path);
    t.is((await post(t.context, { ...PLAIN, project_id: name })).status, 404, name);
    t.is((await post(t.context, { ...PLAIN, template_id: name })).status, 404, name);
  }
});

const wire = (start: string, lines: readonly string[], body = ''): Buffer =>
  Buffer.from(`${[start, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`, 'latin1');

const HOST = 'Host: localhost';

const odd = (key: string): readonly (readonly [string, Buffer, readonly number[], boolean?])[] => {
  const auth = `Authorization: Bearer ${key}`;
  const json = ['Content-Type: application/json', auth, HOST];
  const read = (target: string, ...lines: readonly string[]) => wire(`GET ${target} HTTP/1.1`, [HOST, auth, ...lines]);
  const write = (lines: readonly string[], body: string) =>
    wire('POST /v1/renders HTTP/1.1', [...json, ...lines], body);
  const plain = JSON.stringify({ ...PLAIN, name: '' });
  return [
    ['nothing', Buffer.from('\r\n\r\n'), [400], true],
    ['no HTTP', Buffer.from('hello\r\n\r\n'), [400]],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00]), [400]],
    ['HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), [400, 404, 405]],
    ['HTTP/9.9', wire('GET /v1/teams HTTP/9.9', [HOST, auth]), [400]],
    ['no version', Buffer.from(`GET /v1/teams/team_1\r\n${auth}\r\n\r\n`), [200, 400, 404, 405]],
    ['HTTP/1.0', wire('GET /v1/teams/team_1 HTTP/1.0', [auth]), [200, 404]],
    ['no Host', wire('GET /v1/teams/team_1 HTTP/1.1', [auth]), [200, 400, 404, 405]],
    ['a bad Host', wire('GET /v1/teams/team_1 HTTP/1.1', ['Host: [::', auth]), [200, 400, 404, 405]],
    ['a Host with a path', wire('GET /v1/teams/team_1 HTTP/1.1', ['Host: a/b?c', auth]), [400]],
    ['a Host with a name and a key', wire('GET /v1/teams/team_1 HTTP/1.1', ['Host: a:b@c', auth]), [400]],
    ['two Hosts', wire('GET /v1/teams/team_1 HTTP/1.1', [HOST, 'Host: evil.example', auth]), [200, 400, 404, 405]],
    ['an absolute address', read('http://evil.example/v1/teams/team_1'), [200, 400, 404, 405]],
    ['a star', read('*'), [400, 404, 405]],
    ['an address without a slash', read('v1/teams'), [400, 404]],
    ['two slashes', read('//v1/teams'), [400, 404]],
    ['two slashes within', read('/v1//teams'), [400, 404]],
    ['dots', read('/v1/teams/../users'), [400, 404]],
    ['capitals', read('/V1/TEAMS'), [400, 404]],
    ['a fragment', read('/v1/teams/team_1#x'), [200, 400, 404, 405]],
    ['a semicolon', read('/v1/teams;x=1'), [400, 404]],
    ['a backslash', read('/v1\\teams\\team_1'), [200, 400, 404]],
    ['raw UTF-8', wire('GET /v1/teams/\xc3\xa9 HTTP/1.1', [HOST, auth]), [400, 404, 405]],
    ['raw bytes', wire('GET /v1/teams/\xff\xfe HTTP/1.1', [HOST, auth]), [400, 404, 405]],
    ['a raw NUL', wire('GET /v1/teams/\x00 HTTP/1.1', [HOST, auth]), [400]],
    ['a space', wire('GET /v1/teams/a b HTTP/1.1', [HOST, auth]), [400]],
    ['bad percent-encoding', read('/v1/teams/%zz'), [400]],
    ['bytes that are no UTF-8', read('/v1/teams/%ff'), [400]],
    ['bad percent-encoding in the query', read('/v1/users?team_id=%ff%'), [400, 404, 405]],
    ['a long address', read(`/v1/teams/${'x'.repeat(15_000)}`), [400, 404, 414, 431]],
    ['a longer address', read(`/v1/teams/${'x'.repeat(20_000)}`), [414, 431]],
    ['many parameters', read(`/v1/teams?${'a&'.repeat(7_000)}`), [200, 400, 404, 405]],
    ['large headers', read('/v1/teams/team_1', `X-Large: ${'x'.repeat(20_000)}`), [431]],
    [
      'many headers',
      read('/v1/teams/team_1', ...Array.from({ length: 1_500 }, (_, i) => `X-${i}: 1`)),
      [200, 404, 405, 431],
    ],
    ['a header with a NUL', read('/v1/teams/team_1', 'X-Odd: a\x00b'), [400]],
    ['a header without a name', read('/v1/teams/team_1', ': x'), [400]],
    ['a header that is folded', read('/v1/teams/team_1', 'X-Odd: a', ' b'), [200, 400, 404, 405]],
    ['two keys', wire('GET /v1/teams/team_1 HTTP/1.1', [HOST, 'Authorization: Bearer x', auth]), [400, 401, 404, 405]],
    ['an upgrade', read('/v1/teams/team_1', 'Upgrade: websocket', 'Connection: Upgrade'), [200, 400, 404, 405]],
    ['an unknown method', wire('BREW /v1/teams HTTP/1.1', [HOST, auth]), [400, 404, 405]],
    ['TRACE', wire('TRACE /v1/teams HTTP/1.1', [HOST, auth]), [400, 404, 405]],
    ['CONNECT', wire('CONNECT /v1/teams HTTP/1.1', [HOST, auth]), [400, 404, 405]],
    ['PROPFIND', wire('PROPFIND /v1/teams HTTP/1.1', [HOST, auth]), [400, 404, 405]],
    ['an expectation', write(['Expect: wonders', 'Content-Length: 2'], '{}'), [417]],
    [
      'an expectation that is met',
      write(['Expect: 100-continue', `Content-Length: ${plain.length}`], plain),
      [400, 404],
    ],
    ['a large body, announced and not sent', write(['Content-Length: 300000'], '{'), [404, 413]],
    ['a length and chunks', write(['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), [400]],
    ['two lengths', write(['Content-Length: 2', 'Content-Length: 3'], '{}'), [400]],
    ['a negative length', write(['Content-Length: -1'], plain), [400]],
    ['a length that is no number', write(['Content-Length: 2x'], plain), [400]],
    ['bad chunks', write(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'), [400]],
    ['an unknown coding', write(['Transfer-Encoding: gzip'], plain), [400, 501]],
    ['a body that ends too early', write(['Content-Length: 1000'], plain), [400, 404, 405], true],
    ['chunks that end too early', write(['Transfer-Encoding: chunked'], '1000\r\n{}'), [400, 404, 405], true],
    ['no body', write([], ''), [400, 404, 405]],
    [
      'a GET with a body',
      wire('GET /v1/teams/team_1 HTTP/1.1', [HOST, auth, 'Content-Length: 2'], '{}'),
      [200, 400, 404, 405],
    ],
  ];
};

/** Every 200 answer here belongs to team_1. */
const wireFaultOf = (answer: Answer, statuses: readonly number[]): string | null => {
  if (!statuses.includes(answer.status)) return `${answer.status} ${answer.text.slice(0, 300)}`;
  if (answer.status === 200 && Object(answer.body).id !== 'team_1') return answer.text.slice(0, 300);
  return faultOf(answer);
};

test('malformed HTTP gets an error answer or a closed connection', async (t) => {
  t.timeout(120_000);
  const { keys, stack } = t.context;
  const pids = APIS.map((api) => stack.component(api).pid());
  const faults: string[] = [];
  for (const api of APIS) {
    for (const [what, bytes, statuses, end] of odd(keys.ours)) {
      // On a busy machine the store may not have answered in time.
      const { answer } = await pollUntil(`${what} is answered`, async () => {
        const [answer] = await sendRaw(urlOf(t.context, api), bytes, { end: end === true });
        return answer?.status === 503 ? null : { answer };
      });
      const fault = answer === undefined ? (end === true ? null : 'no answer') : wireFaultOf(answer, statuses);
      if (fault !== null) faults.push(`${api}: ${what}: ${fault}`);
    }
  }
  t.deepEqual(faults, []);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(...APIS), async (bytes, api) => {
      const [answer] = await sendRaw(urlOf(t.context, api), bytes, { end: true });
      t.true(answer === undefined || (answer.status === 400 && faultOf(answer) === null), answer?.text);
    }),
    { numRuns: 150 },
  );
  t.deepEqual(
    APIS.map((api) => stack.component(api).pid()),
    pids,
    'every process still runs',
  );
  t.is((await get(t.context, 'teams')).status, 200);
});

test('malformed and valid requests over one connection are answered in order', async (t) => {
  const { keys } = t.context;
  const line = (target: string) => `GET ${target} HTTP/1.1\r\n${HOST}\r\nAuthorization: Bearer ${keys.ours}\r\n\r\n`;
  const targets = ['/v1/teams/team_1', '/v1/teams/%zz', '/v1/nothing', '/v1/users', '/v1/teams/team_1'];
  for (const api of ['query-api', 'gateway'] as const) {
    const answers = await sendRaw(urlOf(t.context, api), targets.map((target) => line(target)).join(''), {
      count: targets.length,
    });
    t.deepEqual(
      answers.map(({ status }) => status),
      [200, 400, 404, 400, 200],
      api,
    );
    t.deepEqual(
      answers.map(faultOf),
      targets.map(() => null),
    );
  }
});

/** Number of requests. `make soak-render` sets a higher one, which reveals even small leaks per request. */
const MEMORY_REQUESTS = Number(process.env.ODD_REQUESTS ?? 2_000);
const WARM_UP = 1_500;
const AT_ONCE = 16;
/** `resident` includes freed memory that is not returned, so only a large growth counts. */
const MAX_GROWTH_MIB = { heap: 6, external: 6, resident: 96 } as const;
type Kind = keyof typeof MAX_GROWTH_MIB;
const KINDS: readonly Kind[] = ['heap', 'external', 'resident'];

type Memory = Readonly<Record<Kind, number>>;

const memoryOf = async (world: World, api: Api): Promise<Memory> => {
  const { text } = await sendOnce(`${world.stack.component(api).health_url}/metrics`);
  const inMiB = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\S+)$`, 'm').exec(text)?.[1]) / 1024 ** 2;
  return {
    heap: inMiB('nodejs_heap_size_used_bytes'),
    external: inMiB('nodejs_external_memory_bytes'),
    resident: inMiB('process_resident_memory_bytes'),
  };
};

test.serial('thousands of malformed requests do not grow the memory', async (t) => {
  t.timeout(60_000 + 20 * MEMORY_REQUESTS);
  const { keys } = t.context;
  const paths = fc.sample(address, 2_000);
  const bodies = fc.sample(bodyText, 500).filter((body) => body.length < 20_000);
  const headerSets = fc.sample(headers, 200);
  let next = 0;
  const run = async (count: number): Promise<void> => {
    const end = next + count;
    const one = async () => {
      while (next < end) {
        const i = next;
        next += 1;
        const api = urlOf(t.context, i % 5 === 0 ? 'gateway' : i % 5 === 1 ? 'command-api' : 'query-api');
        const more = headerSets[i % headerSets.length] ?? {};
        const key = i % 7 === 0 ? `${keys.ours.slice(0, -1)}${i % 10}` : keys.ours;
        const fault =
          i % 5 < 2 && i % 3 === 0
            ? await postOdd(api, key, bodies[i % bodies.length] ?? '', more)
            : await getOdd(api, key, paths[i % paths.length] ?? '', more);
        if (fault !== null) throw new Error(fault);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
  };
  /** The minimum of each process's memory over several measurements. */
  const least = async (looks: number, count: number): Promise<readonly Memory[]> => {
    const seen: (readonly Memory[])[] = [];
    for (let i = 0; i < looks; i += 1) {
      await run(count / looks);
      seen.push(await Promise.all(APIS.map((api) => memoryOf(t.context, api))));
    }
    return APIS.map((_, i) => {
      const leastOf = (kind: Kind) => Math.min(...seen.map((look) => look[i]?.[kind] ?? 0));
      return { heap: leastOf('heap'), external: leastOf('external'), resident: leastOf('resident') };
    });
  };
  await run(WARM_UP);
  const before = await least(5, MEMORY_REQUESTS / 4);
  /** A leak grows with further requests, and uncollected garbage does not. */
  let grown: readonly string[] = [];
  for (let round = 0; round < 4; round += 1) {
    await run(MEMORY_REQUESTS / 2);
    const after = await least(5, MEMORY_REQUESTS / 4);
    grown = APIS.flatMap((api, i) =>
      KINDS.flatMap((kind) => {
        const [was, is] = [before[i]?.[kind] ?? 0, after[i]?.[kind] ?? 0];
        const said = `${api} ${kind}: ${was.toFixed(1)} MiB, then ${is.toFixed(1)} MiB`;
        t.log(said);
        return is > 0 && is - was < MAX_GROWTH_MIB[kind] ? [] : [said];
      }),
    );
    if (grown.length === 0) break;
  }
  t.deepEqual(grown, []);
  await pollUntil('the service is ready', async () => (await get(t.context, 'teams')).status === 200);
});
