import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { routePatternAt } from '../../../schemas/http/routes.ts';
import { faultsUnder, membersOf, resolved } from '../../helpers/openapi.ts';

const SESSION = readFileSync(new URL('../../../demo/first-steps.sh', import.meta.url), 'utf8');
const BASE_URL = 'http://service.example';

const exampleOf = (operation: readonly string[], status: string, name: string): string =>
  JSON.stringify(
    resolved([...operation, 'responses', status, 'content', 'application/json', 'examples', name, 'value']).value,
  );

/** In place of renderctl and curl. This curl answers with the examples of the document, and records its arguments. */
const STAND_INS = `
./renderctl() { :; }
curl() {
  printf '%s\\0' "$@" >> "$CALLS"; printf '\\1\\0' >> "$CALLS"
  case " $* " in
    *' -d '*) printf '%s' "$CREATED" ;;
    *" $BASE_URL"*) printf '%s' "$COMPLETE" ;;
    *' -o '*) while [ "$1" != -o ]; do shift; done; : > "$2" ;;
  esac
}
`;

type Call = {
  readonly url: string;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | null;
};

const callOf = (args: readonly string[]): Call => {
  const after = (option: string) => args.flatMap((arg, i) => (args[i - 1] === option ? [arg] : []));
  const headers = after('-H').map((header): [string, string] => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()];
  });
  const body = after('-d')[0] ?? null;
  const url = args.find((arg) => /^https?:/.test(arg)) ?? '';
  return { url, method: after('-X')[0] ?? (body === null ? 'GET' : 'POST'), headers: new Map(headers), body };
};

test('the README’s requests, and the members it reads, match the OpenAPI document', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'session '));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const calls = join(folder, 'calls');
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euc', `${STAND_INS}\n${SESSION}\necho "$RENDER_ID $MASTER_URL"`],
    {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        CALLS: calls,
        BASE_URL,
        API_KEY: 'vr_key',
        PROJECT_ID: 'proj_1',
        TEMPLATE_ID: 'tpl_1',
        CREATED: exampleOf(['paths', '/v1/renders', 'post'], '201', 'example'),
        COMPLETE: exampleOf(['paths', '/v1/renders/{id}', 'get'], '200', 'complete'),
      },
    },
  );
  t.regex(stdout.trim().split('\n').at(-1) ?? '', /^rend_\w+ https:\/\/\S+$/);

  const made = readFileSync(calls, 'utf8')
    .split('\0\u0001\0')
    .filter((call) => call !== '')
    .map((call) => callOf(call.split('\0')));
  const ours = made.filter(({ url }) => url.startsWith(BASE_URL));
  t.deepEqual(
    ours.map(({ method }) => method),
    ['POST', 'GET', 'GET'],
  );
  t.is(made.length, 4, 'and the video itself');
  for (const { url, method, headers, body } of ours) {
    const path = routePatternAt(new URL(url).pathname) ?? 'nowhere';
    const operation = ['paths', path, method.toLowerCase()];
    t.not(resolved(operation).value, undefined, `${method} ${url}`);
    t.is(headers.get('authorization'), 'Bearer vr_key');
    if (body === null) continue;
    const type = headers.get('content-type') ?? 'none';
    t.true(membersOf([...operation, 'requestBody', 'content']).includes(type), type);
    t.deepEqual(faultsUnder([...operation, 'requestBody', 'content', type, 'schema'], JSON.parse(body)), []);
  }
});
