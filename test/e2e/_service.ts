import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { RenderAnswer, TransitionsAnswer } from '../../cli/render/render-answers.ts';
import { readTrace } from '../../cli/trace/read-trace.ts';
import { compareWithDocument, type ReadModelComparison, type Trace } from '../../cli/trace/trace.ts';
import { type DemoEndpoint, openDemoEndpoint } from '../../demo/demo-endpoint.ts';
import { seedDemo } from '../../demo/seed.ts';
import type { SeededEntities } from '../../demo/seeded.ts';
import type { Received } from '../../demo/webhook-receiver.ts';
import { readServingGeneration } from '../../read-models/generations.ts';
import { renderDocument } from '../../read-models/renders/renders.ts';
import type { Stack } from '../../stack/launcher.ts';
import { openStackClients, type StackClients } from '../../stack/testing/stack-clients.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { localCertificate } from '../../stack/tls/kept-certificates.ts';
import { faultsOfRenders } from '../helpers/faults-of-renders.ts';
import { caller } from '../helpers/renderctl.ts';
import { startTestStack, type TestStackOptions } from '../helpers/test-stack.ts';
import { type Answer, bearer, postJson, send, sendOnce, untilServed } from '../integration/api/_client.ts';
import { TEMPLATE, writeFilm } from './_films.ts';

export type Service = {
  readonly folder: string;
  readonly stack: Stack;
  readonly clients: StackClients;
  readonly endpoint: DemoEndpoint;
  readonly seeded: SeededEntities;
  readonly close: () => Promise<void>;
};

export const openService = async (
  env: Readonly<Record<string, string>> = {},
  options: Pick<TestStackOptions, 'own_servers' | 'clientPort' | 'components'> = {},
): Promise<Service> => {
  const folder = await mkdtemp(join(tmpdir(), 'a service '));
  const closing: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const end of closing.toReversed()) await end();
  };
  try {
    const stack = await startTestStack({
      ...options,
      dataDir: join(folder, 'data'),
      env: {
        RATE_LIMIT_PER_S: '100000',
        RATE_LIMIT_BURST: '100000',
        ...env,
      },
    });
    closing.push(() => stack.stop());
    const clients = await openStackClients(stack.env);
    closing.push(() => clients.close());
    const seeded = await seedDemo({ env: stack.env, seeded_path: join(folder, 'data', 'demo.json') });
    const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
    if (certificate === null) throw new Error('the stack has no certificate for this machine');
    const endpoint = await openDemoEndpoint({ env: stack.env, team_id: seeded.team_id, certificate });
    closing.push(async () => {
      // If the endpoint cannot be deleted, it is removed with the data.
      await endpoint.remove();
    });
    return { folder, stack, clients, endpoint, seeded, close };
  } catch (error) {
    await close();
    throw error;
  }
};

const Imported = t.type({ id: t.string });

type Film = Parameters<typeof writeFilm>[2];

const imported = async (
  { folder, stack }: Service,
  name: string,
  film: Film,
  bytes: Buffer | undefined,
  into: readonly string[],
): Promise<string> => {
  const path = join(folder, name);
  await writeFilm(path, name, film, bytes);
  const unchecked = bytes === undefined ? [] : ['--no-media-check'];
  const command = ['project', 'import', path, ...into, ...unchecked, '--json'];
  const { exit_code, stdout, stderr } = await caller(stack.env)(...command);
  const answer = Imported.decode(exit_code === 0 ? JSON.parse(stdout) : null);
  if (E.isLeft(answer)) throw new Error(`${name} was not imported: ${stderr}`);
  return answer.right.id;
};

export const importFilm = (service: Service, name: string, film: Film, bytes?: Buffer): Promise<string> =>
  imported(service, name, film, bytes, ['--team', service.seeded.team_id, '--user', service.seeded.user_id]);

export const importVersion = (service: Service, project_id: string, name: string, film: Film): Promise<string> =>
  imported(service, name, film, undefined, ['--project', project_id]);

const decoded = <A>(codec: t.Decoder<unknown, A>, { status, body }: Answer): A => {
  const known = codec.decode(body);
  if (E.isLeft(known)) throw new Error(`answered ${status}: ${JSON.stringify(body)}`);
  return known.right;
};

/** Retries while the answer is 503. If the outcome is unknown, that can create a second render. */
export const post = (service: Service, project_id: string, values: Readonly<Record<string, string>>): Promise<Answer> =>
  untilServed(() =>
    postJson(`${service.stack.base_url}/v1/renders`, service.seeded.api_key, {
      name: 'Of a test',
      project_id,
      template_id: TEMPLATE,
      values,
    }),
  );

export const posted = async (service: Service, project_id: string, title = 'Hello'): Promise<RenderAnswer> => {
  const answer = await post(service, project_id, { title });
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return renderIn(answer);
};

export const renderIn = (answer: Answer): RenderAnswer => decoded(RenderAnswer, answer);

export const get = ({ stack, seeded }: Service, id: string): Promise<Answer> =>
  send(`${stack.base_url}/v1/renders/${id}`, { headers: bearer(seeded.api_key) });

/** Returns the first answer, also a 503. */
export const getOnce = ({ stack, seeded }: Service, id: string): Promise<Answer> =>
  sendOnce(`${stack.base_url}/v1/renders/${id}`, { headers: bearer(seeded.api_key) });

export const transitionsOf = async (service: Service, id: string): Promise<TransitionsAnswer['data']> =>
  decoded(TransitionsAnswer, await get(service, `${id}/transitions`)).data;

/** Waits until the render has that status or a later one. */
export const untilStatus = async (
  service: Service,
  id: string,
  wanted: readonly string[],
  bound_ms: number,
): Promise<RenderAnswer> => {
  const last = await pollUntil(
    `${id} is ${wanted.join(' or ')}`,
    async () => {
      const answer = await get(service, id);
      if (answer.status !== 200) return answer;
      const found = renderIn(answer);
      return wanted.includes(found.status) || isOver(found) ? answer : null;
    },
    bound_ms,
  );
  if (last.status !== 200) throw new Error(`GET of ${id} answered ${last.status}: ${last.text}`);
  return renderIn(last);
};

export const isOver = ({ status }: { readonly status: string }): boolean =>
  status === 'complete' || status === 'failed';

/** The time limit for a render that other renders can delay on a busy machine. */
export const OVER_WITHIN_MS = 180_000;

export const untilOver = (service: Service, id: string): Promise<RenderAnswer> =>
  untilStatus(service, id, [], OVER_WITHIN_MS);

/** All events of a render in the log, and whether the read model agrees, after a wait if needed. */
export const traced = async (
  { clients }: Service,
  id: string,
): Promise<{ readonly trace: Trace; readonly agreement: ReadModelComparison }> => {
  const look = async () => {
    const trace = await readTrace(clients.records, id);
    if (E.isLeft(trace)) throw new Error(`${id} is not in the log`);
    return {
      trace: trace.right,
      agreement: compareWithDocument(trace.right, await renderDocument(clients.store.db, id)),
    };
  };
  const agreeing = async () => {
    const found = await look();
    return found.agreement.tag === 'agrees' && found;
  };
  return await pollUntil(`the read model agrees with the log about ${id}`, agreeing, 10_000).catch(look);
};

export const deliveriesOf = async ({ endpoint }: Service, id: string, count: number): Promise<readonly Received[]> => {
  const about = () => endpoint.received().filter(({ render_id }) => render_id === id);
  await pollUntil(`${count} deliveries about ${id}`, async () => about().length >= count, 60_000).catch((cause) => {
    throw new Error(`only ${about().map(({ event, status }) => `${event} ${status}`)} of ${count}`, { cause });
  });
  return about();
};

/** Waits until read model, quarantine and status topic equal a fold of the log from offset 0. */
export const untilFold = async ({ clients: { records, store } }: Service): Promise<void> => {
  let last: unknown = null;
  await pollUntil('the read model equals a fold of the log', async () => {
    const generation = (await readServingGeneration(store.db, 'renders'))?.generation ?? 1;
    const differences = await faultsOfRenders(records, store.db, generation);
    last = differences;
    return differences.length === 0;
  }).catch((cause) => {
    throw new Error(`differences: ${JSON.stringify(last)}`, { cause });
  });
};
