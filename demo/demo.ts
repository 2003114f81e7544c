import { mkdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import * as t from 'io-ts';
import { type Connection, createConnection } from '../cli/connection.ts';
import { type CliFault, reportOf } from '../cli/fault.ts';
import { createApiClient } from '../cli/http/api-client.ts';
import { FOLLOW_DEFAULTS, followRender } from '../cli/render/follow.ts';
import { lifecycleDisplay } from '../cli/render/progress-bar.ts';
import { renderApi } from '../cli/render/render-api.ts';
import { reportLine } from '../cli/report.ts';
import type { Screen } from '../cli/screen.ts';
import { stackEnvironmentOf } from '../cli/servers.ts';
import { tableText, timeText } from '../cli/table.ts';
import { readTrace } from '../cli/trace/read-trace.ts';
import { compareWithDocument, type Trace } from '../cli/trace/trace.ts';
import { comparisonText } from '../cli/trace/trace-text.ts';
import { actorKind } from '../domain/event/meta.ts';
import { renderDocument } from '../read-models/renders/renders.ts';
import { startStack } from '../stack/launcher.ts';
import { waitUntil } from '../stack/process/wait.ts';
import { localCertificate } from '../stack/tls/kept-certificates.ts';
import { type DemoEndpoint, openDemoEndpoint } from './demo-endpoint.ts';
import { firstSteps } from './first-steps.ts';
import { findLiveStack } from './live-stack.ts';
import { sizeText, videoText } from './probe.ts';
import { DEMO_PROJECT, seedDemo } from './seed.ts';
import type { Received } from './webhook-receiver.ts';

export type DemoOptions = {
  readonly dataDir: string;
  readonly pidsPath: string;
  readonly stackFile: string;
  readonly outDir: string;
  readonly out: Screen;
  readonly stop: AbortSignal;
  readonly urgent: AbortSignal;
};

type Host = {
  readonly env: Readonly<Record<string, string>>;
  readonly base_url: string;
  readonly api_key: string;
  readonly team_id: string;
  readonly project_id: string;
  readonly template_id: string;
  /** Stops the stack; null if the stack was already running, so that it keeps running. */
  readonly stop: (() => Promise<void>) | null;
};

const orThrow = <A>(result: E.Either<CliFault, A>): A => {
  if (E.isRight(result)) return result.right;
  throw new Error(reportLine(reportOf(result.left)));
};

/** A render and its webhooks need no other components. */
const COMPONENTS = 'projectors query-api command-api preparer dispatcher worker webhook-relay gateway'.split(' ');

const ownHost = async (options: DemoOptions, say: (line: string) => void): Promise<Host> => {
  const stack = await startStack({
    dataDir: options.dataDir,
    pidsPath: options.pidsPath,
    components: COMPONENTS,
    signal: options.stop,
    urgent: options.urgent,
    onNotice: say,
  });
  try {
    const seeded = await seedDemo({ env: stack.env, seeded_path: join(options.dataDir, 'demo.json'), say });
    return { env: stack.env, base_url: stack.base_url, ...seeded, stop: stack.stop };
  } catch (error) {
    await stack.stop();
    throw error;
  }
};

const openHost = async (options: DemoOptions, say: (line: string) => void): Promise<Host> => {
  const live = await findLiveStack(options.stackFile);
  if (live === null) return ownHost(options, say);
  say(`Using the running stack at ${live.base_url} …`);
  return { ...live, env: stackEnvironmentOf(live), stop: null };
};

/** Null, with a message, if the stack cannot call this machine. */
const openEndpoint = async ({ env, team_id }: Host, say: (line: string) => void): Promise<DemoEndpoint | null> => {
  const certificate = localCertificate(env.OUTBOUND_CA_FILE);
  if (certificate === null) {
    const why =
      env.OUTBOUND_CA_FILE === undefined
        ? 'an older version started it'
        : 'OUTBOUND_CA_FILE names another certificate authority';
    say(`Skipping webhooks: the stack does not trust servers on this machine (${why}).`);
    return null;
  }
  try {
    return await openDemoEndpoint({ env, team_id, certificate });
  } catch (error) {
    say(`Skipping webhooks: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
};

const Values = t.record(t.string, t.string);

const demoValues = async (): Promise<Readonly<Record<string, string>>> => {
  const values = Values.decode(JSON.parse(await readFile(join(DEMO_PROJECT, 'values.json'), 'utf8')));
  if (E.isLeft(values)) throw new Error('examples/demo/values.json must have only strings');
  return values.right;
};

const rendered = async (host: Host, options: DemoOptions): Promise<string> => {
  const { base_url, api_key, project_id, template_id } = host;
  const api = renderApi(createApiClient({ base_url, api_key, key_from: 'stack' }, options.stop));
  const order = { name: 'Demo', project_id, template_id, values: await demoValues() };
  const render = orThrow(await api.create(order));
  options.out.write(`Posted ${render.id}.\n\n`);
  const display = lifecycleDisplay(options.out);
  const result = await followRender(api, render.id, {
    ...FOLLOW_DEFAULTS,
    on_lifecycle: display.show,
    stop: options.stop,
  });
  display.stop();
  orThrow(result);
  return render.id;
};

/** Downloads the master and the poster, which also checks their hashes. Returns a line about each file. */
const saveOutputs = async (servers: Connection, trace: Trace, outDir: string): Promise<readonly string[]> => {
  const { outputs = [], poster = null } = trace.render ?? {};
  const master = outputs.find(({ variant }) => variant === 'master');
  if (master === undefined || poster === null) throw new Error('the render is complete, but its document has no files');
  await mkdir(outDir, { recursive: true });
  const video = join(outDir, 'demo.mp4');
  const still = join(outDir, 'demo-poster.jpg');
  orThrow(
    await servers.blobs(async (blobs) => {
      for (const [blob, path] of [
        [master, video],
        [poster, still],
      ] as const) {
        await blobs.download(blob.path, path);
      }
      return E.right(null);
    }),
  );
  const from = process.cwd();
  return [
    `  ${relative(from, video)}  ${await videoText(video)}`,
    `  ${relative(from, still)}  ${poster.width}x${poster.height}, ${await sizeText(still)}`,
  ];
};

/** `14:25:40.281`, UTC, without the date. */
const clockText = (at_ms: number): string => timeText(at_ms).slice(11, 23);

/** Narrow enough for a terminal; `renderctl trace` also shows the ids. */
const eventsTable = (trace: Trace): string =>
  tableText(
    ['position', 'appended', 'event', 'status', 'actor'],
    trace.rows.map(({ partition, offset, appended_at, type, verdict, transition, actor }) => [
      `${partition}/${offset}`,
      clockText(appended_at),
      type,
      transition === null ? verdict : `-> ${transition.to}`,
      actor === null ? null : actorKind(actor),
    ]),
  );

const DELIVERED_WITHIN_MS = 30_000;

/** Waits for the deliveries of all transitions and of the completion. */
const deliveriesOf = async (endpoint: DemoEndpoint, render_id: string, trace: Trace): Promise<readonly Received[]> => {
  const transitions = trace.rows.filter((row) => row.transition !== null).length;
  const received = () => endpoint.received().filter((one) => one.render_id === render_id);
  await waitUntil(async () => received().length >= transitions + 1, {
    timeout_ms: DELIVERED_WITHIN_MS,
    message: () => `only ${received().length} of ${transitions + 1} webhook deliveries arrived`,
  });
  return received();
};

/** Enough characters to distinguish deliveries, within 80 columns. */
const SHOWN_OF_DELIVERY_ID = 16;

const deliveriesTable = (deliveries: readonly Received[]): string =>
  tableText(
    ['received', 'event', 'status', 'signature', 'delivery'],
    deliveries.map(({ received_at, event, status, verified, id }) => [
      clockText(received_at),
      event,
      status,
      verified ? 'verified' : 'WRONG',
      `${id.slice(0, SHOWN_OF_DELIVERY_ID)}…`,
    ]),
  );

const show = async (
  host: Host,
  endpoint: DemoEndpoint | null,
  options: DemoOptions,
  say: (line: string) => void,
): Promise<void> => {
  const id = await rendered(host, options);
  const servers = createConnection(host.env, '', options.stop);
  try {
    const trace = orThrow(await servers.records((records) => readTrace(records, id)));
    say('\nThe video and its poster, downloaded from the blob store:');
    for (const line of await saveOutputs(servers, trace, options.outDir)) say(line);
    const document = orThrow(await servers.db(async (db) => E.right(await renderDocument(db, id))));
    say('\nEvery event of this render in the log\n(position: partition/offset in render-events; times in UTC):\n');
    say(eventsTable(trace));
    say(`\n${comparisonText(compareWithDocument(trace, document))}`);
    if (endpoint === null) return;
    const deliveries = await deliveriesOf(endpoint, id, trace);
    say(`\nThe webhooks that a receiver on this machine received:\n\n${deliveriesTable(deliveries)}`);
    if (deliveries.some(({ verified }) => !verified)) throw new Error('a webhook has a wrong signature');
  } finally {
    await servers.close();
  }
};

const howToGoOn = async (): Promise<string> =>
  `\nTo continue, start a stack with\n\n  make start\n\nand run in another terminal, in this folder:\n
eval "$(./renderctl env)"\n${await firstSteps()}`;

/**
 * Renders the demo project, and shows the steps. Rejects with a message of one line. Stops everything that it started
 * before it settles.
 */
export const runDemo = async (options: DemoOptions): Promise<void> => {
  const say = (line: string): void => {
    options.out.write(`${line}\n`);
  };
  const host = await openHost(options, say);
  try {
    const endpoint = await openEndpoint(host, say);
    try {
      await show(host, endpoint, options, say);
    } finally {
      const left = endpoint === null ? null : await endpoint.remove();
      if (left !== null) say(left);
    }
    say(await howToGoOn());
  } finally {
    if (host.stop !== null) say('Stopping …');
    await host.stop?.();
  }
};
