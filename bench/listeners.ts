import { randomBytes } from 'node:crypto';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import pLimit from 'p-limit';
import { ulid } from 'ulid';
import { createAccount } from '../catalogue/accounts.ts';
import { linkIdentity } from '../catalogue/identities.ts';
import { addMember } from '../catalogue/members.ts';
import { createTeam } from '../catalogue/teams.ts';
import { registerUser } from '../catalogue/users.ts';
import type { SeededEntities } from '../demo/seeded.ts';
import { identityId } from '../platform/access/identity-id.ts';
import { sha256Hex } from '../platform/access/sha256.ts';
import { SYSTEM_CLOCK } from '../platform/process/clock.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { openSessions } from '../read-models/sessions/sessions.ts';
import { cookieNames } from '../schemas/http/session-cookie.ts';
import type { Stack } from '../stack/launcher.ts';
import { resolveLocalhostNames } from '../stack/testing/localhost-names.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { pollUntil } from '../stack/testing/until.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { renderRequested } from './render-requested.ts';
import { processUsageOf } from './usage.ts';

/** `LISTENERS=100 node bench/main.ts listeners` is a small run. */
const LISTENERS = Number(process.env.LISTENERS ?? 1_000);
const OF_ACCOUNT = 10;
const PER_SECOND = 20;
const SECONDS = 30;
/** The warm-up is not counted, because new code is being compiled. */
const WARM_UP_S = 5;
const AT_ONCE = 8;
const EXPECTED = 'p99 under 300 ms';
const DAY_MS = 86_400_000;
const COME_BACK_MS = 1_000;

/** All listeners have the same IP address, so the gateway's limits per address must be high. */
export const LISTENERS_ENV = {
  GATEWAY_CONNECTIONS_PER_ADDRESS: '100000',
  GATEWAY_SIGNED_OUT_REQUESTS_PER_MINUTE: '1000000',
};

const made = async <A>(step: Promise<E.Either<unknown, A>>): Promise<A> => {
  const done = await step;
  if (E.isLeft(done)) throw new Error(JSON.stringify(done.left));
  return done.right;
};

type Listening = { readonly account_id: string; readonly team_id: string; readonly tokens: readonly string[] };

const makeAccount = async ({ env }: Stack, { records, store }: StackClients, n: number): Promise<Listening> => {
  const read_model = catalogueReadModel(store.db);
  const catalogue = { records, read_model, actor: 'operator:bench', clock: SYSTEM_CLOCK };
  const { id: account_id } = await made(createAccount(catalogue, { name: `Bench ${n}`, unlimited_credits: true }));
  const { id: team_id } = await made(createTeam(catalogue, { account_id, name: 'Bench' }));
  const user_id = `user_${ulid()}`;
  const identity_id = identityId(env.IDENTITY_SECRET ?? '', env.OIDC_ISSUER_URL ?? '', user_id);
  await made(registerUser(catalogue, user_id));
  await made(addMember(catalogue, { team_id, user_id, role: 'member' }));
  await made(linkIdentity(catalogue, { identity_id, user_id }));
  const linked_at = (await read_model.find('identity', identity_id))?.linked_at ?? null;
  const sessions = openSessions(store.db);
  const tokens = Array.from({ length: OF_ACCOUNT }, () => randomBytes(32).toString('base64url'));
  const now = Date.now();
  for (const token of tokens)
    await sessions.begin(sha256Hex(token), {
      ...{ id: `sess_${ulid()}`, owner: user_id, identity_id, user_id, linked_at, is_operator: false, is_guest: false },
      ...{ created_at: now, last_used_at: now, expires_at: now + DAY_MS, auth_time: null, user_agent: null },
    });
  return { account_id, team_id, tokens };
};

type Wanted = {
  readonly agent: Agent;
  readonly account_id: string;
  readonly token: string;
  readonly onNamed: (render_id: string) => void;
  /** Called when the server can no longer resend missed changes. */
  readonly onReset: () => void;
  readonly onOver: (last_event_id: string) => void;
};

resolveLocalhostNames();

const listen = (
  { env }: Stack,
  { agent, account_id, token, onNamed, onReset, onOver }: Wanted,
  last_event_id?: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { PUBLIC_URL = '' } = env;
    const cookie = `${cookieNames(PUBLIC_URL).session}=${token}`;
    const url = `${PUBLIC_URL}/manage/v1/accounts/${account_id}/changes`;
    const headers = { cookie, ...(last_event_id !== undefined && { 'last-event-id': last_event_id }) };
    const request = get(url, { agent, headers }, (answer) => {
      if (answer.statusCode !== 200) {
        answer.resume();
        reject(new Error(`a listener was answered ${answer.statusCode}`));
        return;
      }
      let text = '';
      let last_id = last_event_id ?? '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        resolve();
        text += part;
        const frames = text.split('\n\n');
        text = frames.pop() ?? '';
        for (const frame of frames) {
          if (frame.startsWith('event: reset')) onReset();
          const id = /"type":"render","id":"(\w+)"/.exec(frame)?.[1];
          if (id !== undefined) onNamed(id);
          last_id = /^id: (\S+)$/m.exec(frame)?.[1] ?? last_id;
        }
      });
      answer.once('error', () => undefined).once('close', () => onOver(last_id));
    });
    request.once('error', reject);
  });

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;

/** The time from an append to the event's arrival at the listeners, for many accounts. */
export const benchListeners = async (
  stack: Stack,
  _seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  await openSessions(clients.store.db).prepare();
  const atOnce = pLimit(AT_ONCE);
  const accounts = await atOnce.map(
    Array.from({ length: LISTENERS / OF_ACCOUNT }, (_, n) => n),
    (n) => makeAccount(stack, clients, n),
  );
  const components = ['management-api', 'gateway'] as const;
  const pids = components.map((name) => stack.component(name).pid() ?? 0);
  const without = await processUsageOf(pids);

  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const appended_at = new Map<string, number>();
  const times: number[] = [];
  let comebacks = 0;
  let resets = 0;
  let is_over = false;
  /** Like a browser, a disconnected listener reconnects with its last event id. */
  const keepListening = (account_id: string, token: string): Promise<void> => {
    const told = new Set<string>();
    const onNamed = (id: string): void => {
      const at = appended_at.get(id);
      if (at === undefined || told.has(id)) return;
      told.add(id);
      times.push(performance.now() - at);
    };
    const onReset = (): void => {
      resets += 1;
    };
    const onOver = (last_event_id: string): void => {
      if (is_over) return;
      comebacks += 1;
      setTimeout(() => void listen(stack, wanted, last_event_id).catch(() => onOver(last_event_id)), COME_BACK_MS);
    };
    const wanted: Wanted = { agent, account_id, token, onNamed, onReset, onOver };
    return listen(stack, wanted);
  };
  try {
    const all = accounts.flatMap((one) => one.tokens.map((token) => ({ account_id: one.account_id, token })));
    await atOnce.map(all, ({ account_id, token }) => keepListening(account_id, token));

    const before = await processUsageOf(pids);
    const began = performance.now();
    const total = PER_SECOND * (WARM_UP_S + SECONDS);
    for (let count = 0; count < total; count += 1) {
      await pause(Math.max(0, (count * 1_000) / PER_SECOND - (performance.now() - began)));
      const { account_id, team_id } = accounts[count % accounts.length] ?? { account_id: '', team_id: '' };
      const event = renderRequested({ render_id: `rend_${ulid()}`, account_id, team_id });
      if (count >= PER_SECOND * WARM_UP_S) appended_at.set(event.render_id, performance.now());
      void clients.records.append('render-events', event.render_id, event).then((appended) => {
        if (E.isLeft(appended)) throw new Error(appended.left.message);
      });
    }
    const expected = appended_at.size * OF_ACCOUNT;
    await pollUntil('every listener received every render', async () => times.length >= expected, 60_000);
    const elapsed_ms = performance.now() - began;
    const after = await processUsageOf(pids);
    const told = `p50 ${millisecondsText(quantile(times, 0.5))}, p99 ${millisecondsText(quantile(times, 0.99))}, most ${millisecondsText(Math.max(...times))}`;
    const title = `append to listener, ${LISTENERS} of ${accounts.length} accounts, ${PER_SECOND} transitions/s`;
    return [
      [title, `${told}; ${comebacks} were cut off and came back, ${resets} had to reload`, EXPECTED],
      ...components.map((name, i): BenchmarkResult => {
        const cpu = (100 * ((after[i]?.cpu_ms ?? 0) - (before[i]?.cpu_ms ?? 0))) / elapsed_ms;
        const [was, is] = [without[i]?.resident_bytes ?? 0, after[i]?.resident_bytes ?? 0];
        return [`  ${name}`, `${cpu.toFixed(0)} % of a core, ${mebibytes(is)}, ${mebibytes(is - was)} more`, ''];
      }),
    ];
  } finally {
    is_over = true;
    agent.destroy();
  }
};
