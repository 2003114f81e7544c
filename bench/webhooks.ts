import { createHash, createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { SeededEntities } from '../demo/seeded.ts';
import type { Stack } from '../stack/launcher.ts';
import { freePort } from '../stack/process/ports.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { pollUntil } from '../stack/testing/until.ts';
import { type CreatedEndpoint, webhookEndpoints } from '../stack/testing/webhook-endpoints.ts';
import { localCertificate } from '../stack/tls/kept-certificates.ts';
import { type BenchmarkResult, millisecondsText, quantile } from './figures.ts';
import { benchMeta, renderRequested } from './render-requested.ts';
import { requestSealer } from './sealed-requests.ts';
import { type BenchReceived, type BenchReceiver, withBenchReceiver } from './webhook-receiver.ts';

const ENDPOINTS = 100;
const ENDPOINTS_OF_A_TEAM = 5;
const EVENT = 'render.status_changed';

/** Deliveries per second to the healthy endpoints; each transition is delivered to all endpoints of its team. */
const PER_SECOND = 150;
/** Seconds of one round. Rounds without and with failing endpoints alternate, because the machine's load changes. */
const SECONDS = 12;
const ROUNDS = 3;
/** The warm-up of each round is not counted, because new code is being compiled. */
const WARM_UP_S = 3;
const BURST = 3_000;
const SETTLED_WITHIN_MS = 120_000;

const teamOf = (n: number): string => `team_bench_${Math.floor(n / ENDPOINTS_OF_A_TEAM)}`;
const TEAMS = [...new Set(Array.from({ length: ENDPOINTS }, (_, n) => teamOf(n)))];

/** The delivery id as the interface specifies it. It is implemented again here, as a check. */
const deliveryId = (endpoint: CreatedEndpoint, render_id: string): string => {
  const about = JSON.stringify([endpoint.id, render_id, 1, EVENT]);
  return `hook_${createHash('sha256').update(about).digest('hex').slice(0, 32)}`;
};

/** `at` is the append time, by the broker's clock in ms. */
type Transition = {
  readonly render_id: string;
  readonly team_id: string;
  readonly at: number;
  readonly counted: boolean;
};

type Sending = {
  readonly seeded: SeededEntities;
  readonly clients: StackClients;
  readonly seal: ReturnType<typeof requestSealer>;
};

const send = async ({ seeded, clients, seal }: Sending, n: number, counted: boolean): Promise<Transition> => {
  const render_id = `rend_${ulid()}`;
  const team_id = TEAMS[n % TEAMS.length] ?? '';
  const event = await seal(renderRequested({ render_id, account_id: seeded.account_id, team_id }));
  const appended = await clients.records.append('render-events', render_id, event);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
  return { render_id, team_id, at: appended.right.append_time_ms, counted };
};

/** Appends transitions at a fixed rate, independent of their results. */
const atFixedRate = async (sending: Sending): Promise<readonly Transition[]> => {
  const per_second = PER_SECOND / ENDPOINTS_OF_A_TEAM;
  const all = per_second * (WARM_UP_S + SECONDS);
  const sent: Promise<Transition>[] = [];
  const began = performance.now();
  while (sent.length < all) {
    const due = Math.min(all, Math.floor(((performance.now() - began) * per_second) / 1_000));
    while (sent.length < due) sent.push(send(sending, sent.length, sent.length >= per_second * WARM_UP_S));
    await pause(5);
  }
  return Promise.all(sent);
};

const atOnce = (sending: Sending): Promise<readonly Transition[]> =>
  Promise.all(Array.from({ length: BURST / ENDPOINTS_OF_A_TEAM }, (_, n) => send(sending, n, true)));

type Outcome = {
  readonly owed: number;
  readonly missing: number;
  readonly repeated: number;
  readonly wrong: number;
  readonly lags: readonly number[];
  readonly duration_s: number;
};

const isRight = (endpoint: CreatedEndpoint, { body, signature, path }: BenchReceived): boolean => {
  const expected = createHmac('sha256', endpoint.secret).update(body).digest('hex');
  return signature === `sha256=${expected}` && endpoint.url.endsWith(path);
};

/** Compares the due deliveries of healthy endpoints with the received ones, by id. */
const reconcile = (
  transitions: readonly Transition[],
  healthy: readonly CreatedEndpoint[],
  received: readonly BenchReceived[],
): Outcome => {
  const by_id = Map.groupBy(received, ({ id }) => id);
  const owed = transitions.flatMap((transition) =>
    healthy
      .filter(({ team_id }) => team_id === transition.team_id)
      .map((endpoint) => ({
        ...transition,
        endpoint,
        came: by_id.get(deliveryId(endpoint, transition.render_id)) ?? [],
      })),
  );
  const counted = owed.filter((one) => one.counted);
  const ends = counted.flatMap(({ came }) => (came[0] === undefined ? [] : [came[0].at]));
  return {
    owed: owed.length,
    missing: owed.filter(({ came }) => came.length === 0).length,
    repeated: owed.filter(({ came }) => came.length > 1).length,
    wrong: owed.filter(({ came, endpoint }) => came.some((one) => !isRight(endpoint, one))).length,
    lags: counted.flatMap(({ came, at }) => (came[0] === undefined ? [] : [came[0].at - at])),
    duration_s: (Math.max(...ends) - Math.min(...counted.map(({ at }) => at))) / 1_000,
  };
};

const joined = (outcomes: readonly Outcome[]): Outcome => {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, outcome) => all + of(outcome), 0);
  return {
    owed: sum(({ owed }) => owed),
    missing: sum(({ missing }) => missing),
    repeated: sum(({ repeated }) => repeated),
    wrong: sum(({ wrong }) => wrong),
    lags: outcomes.flatMap(({ lags }) => lags),
    duration_s: sum(({ duration_s }) => duration_s),
  };
};

const settled = async (
  receiver: BenchReceiver,
  transitions: readonly Transition[],
  healthy: readonly CreatedEndpoint[],
): Promise<Outcome> => {
  let outcome = reconcile(transitions, healthy, await receiver.received());
  await pollUntil(
    'every delivery came in',
    async () => {
      await pause(500);
      outcome = reconcile(transitions, healthy, await receiver.received());
      return outcome.missing === 0;
    },
    SETTLED_WITHIN_MS,
  ).catch(() => undefined);
  return outcome;
};

const lagText = ({ lags }: Outcome): string =>
  `p50 ${millisecondsText(quantile(lags, 0.5))}, p95 ${millisecondsText(quantile(lags, 0.95))}, p99 ${millisecondsText(quantile(lags, 0.99))}`;
const lossText = ({ owed, missing, repeated, wrong }: Outcome): string =>
  `${owed} owed, ${missing} missing, ${repeated} repeated, ${wrong} wrong`;
const rateText = ({ lags, duration_s }: Outcome): string => `${(lags.length / duration_s).toFixed(0)}/s`;

const BULK = 100;
const BULKS = 30;

/**
 * Returns how many documents of a delivery's size the store writes per second, many in each transaction. A delivery
 * needs two writes.
 */
const storesCeiling = async ({ store }: StackClients): Promise<number> => {
  const documents = store.db.collection<{ _id: string; text: string }>('bench_webhooks');
  await documents.insertOne({ _id: 'first', text: '' });
  const began = performance.now();
  for (let n = 0; n < BULKS; n += 1) {
    await store.transaction((session) =>
      documents.bulkWrite(
        Array.from({ length: BULK }, (_, i) => {
          const update = { $setOnInsert: { text: 'x'.repeat(1_500) } };
          return { updateOne: { filter: { _id: `${n}-${i}` }, update, upsert: true } };
        }),
        { session },
      ),
    );
  }
  return (BULK * BULKS * 1_000) / (performance.now() - began);
};

/**
 * Deliveries to 100 endpoints over HTTPS, from the append of the transition to the receipt. Three cases: a fixed rate,
 * the same rate with one endpoint that is down and one that hangs, and the maximum rate. Checks that every id arrives,
 * and verifies every signature.
 */
export const benchWebhooks = async (
  stack: Stack,
  seeded: SeededEntities,
  clients: StackClients,
): Promise<readonly BenchmarkResult[]> => {
  const certificate = localCertificate(stack.env.OUTBOUND_CA_FILE);
  if (certificate === null) throw new Error('the stack has no certificate for this machine');
  return withBenchReceiver(certificate, async (receiver) => {
    const sending = { seeded, clients, seal: requestSealer(stack) };
    const endpoints = webhookEndpoints(clients.records, stack.env);
    await endpoints.makeTeams(TEAMS);
    const healthy = await Promise.all(
      Array.from({ length: ENDPOINTS }, (_, n) =>
        endpoints.make({ team_id: teamOf(n), url: `${receiver.origin}/${n}`, events: [EVENT] }),
      ),
    );
    const ceiling = await storesCeiling(clients);
    const run = async (transitions: Promise<readonly Transition[]>) => settled(receiver, await transitions, healthy);

    // The maximum rate is measured first, before the other cases warm up the stack.
    const burst = await run(atOnce(sending));
    const dead = `https://localhost:${await freePort()}/dead`;
    const bad = await Promise.all(
      [dead, `${receiver.origin}/hang`].map((url, n) =>
        endpoints.make({ team_id: teamOf(n * ENDPOINTS_OF_A_TEAM), url, events: [EVENT] }),
      ),
    );
    const withBad = async (are_there: boolean): Promise<Outcome> => {
      for (const { id: endpoint_id } of bad) {
        const about = { rules: 0, meta: benchMeta(), endpoint_id };
        if (are_there) await endpoints.append({ type: 'WebhookEndpointEnabled', ...about });
        else
          await endpoints.append({ type: 'WebhookEndpointDisabled', ...about, reason: 'by_hand', enabled_since: null });
      }
      return await run(atFixedRate(sending));
    };
    const turns: { readonly alone: Outcome; readonly beside: Outcome }[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      turns.push({ alone: await withBad(false), beside: await withBad(true) });
    const alone = joined(turns.map((turn) => turn.alone));
    const beside = joined(turns.map((turn) => turn.beside));

    const ratio = quantile(beside.lags, 0.95) / quantile(alone.lags, 0.95);
    return [
      [
        `webhooks: ${PER_SECOND}/s to ${ENDPOINTS} endpoints, ${ROUNDS} turns of ${SECONDS} s`,
        lossText(alone),
        'none missing',
      ],
      ['  from transition to receipt', lagText(alone), ''],
      ['  the same, turn about, beside a dead and a hanging endpoint', lossText(beside), 'none missing'],
      ['  from transition to receipt', lagText(beside), ''],
      ['  p95 beside them, of p95 without', ratio.toFixed(2), 'at most 1.2'],
      [`  ${BURST} at once`, `${rateText(burst)}, ${lossText(burst)}`, 'at least 150/s'],
      [
        `  the store: writes of a document, ${BULK} in a transaction`,
        `${ceiling.toFixed(0)}/s; a delivery needs two`,
        '',
      ],
    ];
  });
};
