import { MANAGEMENT_OPENAPI } from '../../../../schemas/http/management/document.ts';
import { routePatternAt } from '../../../../schemas/http/routes.ts';
import { openApiOf } from '../../../helpers/openapi.ts';
import { untilServed } from '../../api/_client.ts';
import type { Browser } from '../_browser.ts';
import { type Told, told, type World } from '../_world.ts';

const REQUESTS = Object.keys(MANAGEMENT_OPENAPI.components.schemas).filter(
  (name) => name.endsWith('Request') || name === 'ProjectDocument',
);
const { faultsUnder, membersOf, resolved } = openApiOf(MANAGEMENT_OPENAPI, REQUESTS);

const contractFaults = (method: string, path: string, { status, headers, body }: Told): readonly string[] => {
  const operation = ['paths', routePatternAt(path) ?? '', method.toLowerCase()];
  const response = resolved([...operation, 'responses', String(status)]);
  if (response.value === undefined) return [`${status} is not documented`];
  const lacking = membersOf([...response.place, 'headers']).filter((name) => headers.get(name) === null);
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const content = [...response.place, 'content', type];
  if (resolved(content).value === undefined) return [`${type} is not documented`];
  const wrong = type === 'application/json' ? faultsUnder([...content, 'schema'], body) : [];
  const kept = headers.get('cache-control') === 'no-store' ? [] : ['it may be kept'];
  const sniffed = headers.get('x-content-type-options') === 'nosniff' ? [] : ['it may be taken for something else'];
  return [...lacking.map((name) => `lacks the header ${name}`), ...wrong, ...kept, ...sniffed];
};

/** A repeat has no second effect: reads, and requests that changed nothing or find what the first one left. */
const mayRepeat = (method: 'GET' | 'POST', path: string, { body }: Told): boolean =>
  method === 'GET' ||
  /\/(cancel|erase|batch|stills|check|read)$/.test(path) ||
  String(body.error).includes('nothing was changed');

const askOnce = async (
  { manage, origin }: Pick<World, 'manage' | 'origin'>,
  browser: Browser,
  method: 'GET' | 'POST',
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Told> => {
  const url = `${manage}${path}`;
  const posted = { Origin: origin, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json', ...headers };
  const init = method === 'GET' ? { headers } : { method, body: JSON.stringify(body), headers: posted };
  const answer = await told(await browser.ask(url, init));
  const faults = contractFaults(method, new URL(url).pathname, answer);
  if (faults.length > 0)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}: ${faults.join('; ')}`);
  return answer;
};

/** Retries while a busy service answers 503, if a repeat has no second effect. */
export const ask = (
  world: Pick<World, 'manage' | 'origin'>,
  browser: Browser,
  method: 'GET' | 'POST',
  path: string,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> =>
  untilServed(
    () => askOnce(world, browser, method, path, body, headers),
    (answer) => (answer === null ? method === 'GET' : mayRepeat(method, path, answer)),
  );
