import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as t from 'io-ts';
import { readStarters, STARTER_IDS } from '../catalogue/starters/starters.ts';
import type { SeededEntities } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { newAccountKey } from './account-key.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';

const CHANGES = 200;
const BESIDE = 40;
const WIDTH = 640;
const LOUD_PER_S = 50;
const RETRY_MS = 250;
const WORDS = ['sale', 'only', 'this', 'week', 'spring', 'in', 'Vienna', 'hello', 'again', 'new'];

const Project = t.type({ id: t.string });

type Answer = { readonly status: number; readonly ms: number; readonly text: string };

/** An account with a key and all starters. */
type Client = { readonly send: (path: string, body: object) => Promise<Answer>; readonly projects: readonly string[] };

const clientOf = async ({ base_url }: Stack, clients: StackClients, name: string): Promise<Client> => {
  const key = await newAccountKey(clients, name);
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const send = async (path: string, body: object): Promise<Answer> => {
    const began = performance.now();
    const answer = await fetch(`${base_url}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { status: answer.status, ms: performance.now() - began, text: answer.ok ? '' : bytes.toString() };
  };
  const projects: string[] = [];
  for (const starter of STARTER_IDS) {
    const answer = await fetch(`${base_url}/v1/projects`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ starter }),
    });
    const project: unknown = await answer.json();
    if (!Project.is(project)) throw new Error(`the starter ${starter} was refused: ${JSON.stringify(project)}`);
    projects.push(project.id);
  }
  return { send, projects };
};

const randomText = (): string =>
  Array.from({ length: randomInt(1, 5) }, () => WORDS[randomInt(WORDS.length)]).join(' ');

const randomColor = (): string => `#${randomInt(0x1000000).toString(16).padStart(6, '0')}`;

/** Another moment, with other texts and colours. */
const randomChange = ({ projects }: Client, starter: number): object => {
  const document = readStarters().get(STARTER_IDS[starter] ?? 'promo')?.document;
  const template = document?.templates[0];
  const composition = document?.compositions.find(({ id }) => id === template?.target_composition_id);
  const values = (template?.fields ?? []).flatMap(({ key, kind }) => {
    if (kind === 'text' && !/font|align|language|fit|shape/.test(key)) return [[key, randomText()] as const];
    return kind === 'color' ? [[key, randomColor()] as const] : [];
  });
  const time_s = (Math.random() * (typeof composition?.duration === 'number' ? composition.duration : 1)) / 1.01;
  const of_template = template === undefined ? {} : { template_id: template.id, values: Object.fromEntries(values) };
  return { project_id: projects[starter], ...of_template, time_s, width: WIDTH, format: 'jpeg' };
};

/** Repeats a still that the account may not draw yet, as a client does. The waits do not count. */
const drawn = async (client: Client, starter: number): Promise<number> => {
  for (;;) {
    const { status, ms, text } = await client.send('stills', randomChange(client, starter));
    if (status === 200) return ms;
    if (status !== 429) throw new Error(`a still of ${STARTER_IDS[starter]} was answered ${status}: ${text}`);
    await pause(RETRY_MS);
  }
};

/** A person changes one starter after the other. */
const changed = async (client: Client, count: number): Promise<readonly number[]> => {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) times.push(await drawn(client, Math.floor((n * STARTER_IDS.length) / count)));
  return times;
};

/** Stills of an account that does not wait for answers. */
const loudUntil = async (client: Client, stop: AbortSignal): Promise<ReadonlyMap<number, number>> => {
  const answers: Promise<Answer>[] = [];
  for (let n = 0; !stop.aborted; n += 1) {
    answers.push(client.send('stills', randomChange(client, n % STARTER_IDS.length)));
    await pause(1_000 / LOUD_PER_S);
  }
  const statuses = new Map<number, number>();
  for (const { status } of await Promise.all(answers)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return statuses;
};

const rendersUntil = async (client: Client, stop: AbortSignal): Promise<void> => {
  for (let n = 0; !stop.aborted; n += 1) {
    const [project_id] = client.projects;
    const { status, text } = await client.send('renders', { name: `Bench ${n}`, project_id });
    if (status !== 201) throw new Error(`a render was answered ${status}: ${text}`);
    await pause(10_000, null, { signal: stop }).catch(() => null);
  }
};

const textOf = (times: readonly number[]): string =>
  [0.5, 0.95].map((share) => `p${share * 100} ${millisecondsText(quantile(times, share))}`).join(', ');

/** Stills over the public API: alone, beside renders, and beside an account that asks for far too many. */
export const benchStills = async (
  stack: Stack,
  _: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const [calm, loud] = [await clientOf(stack, clients, 'Calm'), await clientOf(stack, clients, 'Loud')];
  // The first still of a project reads its files.
  for (const starter of STARTER_IDS.keys()) await drawn(calm, starter);
  const alone = await changed(calm, CHANGES);
  const beside = async <A>(other: (stop: AbortSignal) => Promise<A>): Promise<readonly [readonly number[], A]> => {
    const stop = new AbortController();
    const others = other(stop.signal);
    try {
      const times = await changed(calm, BESIDE);
      stop.abort();
      return [times, await others];
    } finally {
      stop.abort();
      await others.catch(() => null);
    }
  };
  const [among, statuses] = await beside((stop) => loudUntil(loud, stop));
  const [rendering] = await beside((stop) => rendersUntil(loud, stop));
  const answered = [...statuses].map(([status, count]) => `${count} times ${status}`).join(', ');
  return [
    [`${CHANGES} stills of starters, ${WIDTH} px`, textOf(alone), 'p50 under 300 ms, p95 under 700 ms'],
    [`  beside an account that asks for ${LOUD_PER_S}/s`, `${textOf(among)}; that one: ${answered}`, ''],
    ['  beside renders', textOf(rendering), 'p95 under 2,000 ms'],
  ];
};
