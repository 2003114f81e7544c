import { join } from 'node:path';
import { isRight } from 'fp-ts/lib/Either.js';
import { decodeConfiguration, type Environment } from '../platform/configuration/configuration.ts';
import {
  BLOB_STORE,
  CORS,
  CREDITS,
  CURSORS,
  DEPLOYMENT,
  DISPATCHER,
  ENGINE,
  ENVIRONMENT,
  EVENT_LOG,
  FAILED_WORK,
  GATEWAY,
  HEALTH_AND_LOGS,
  IDEMPOTENCY,
  NOTARY,
  OUTBOUND,
  type Part,
  PREPARER,
  PROOFS,
  PUBLIC_SERVER,
  RATE_LIMITS,
  READ_STORE,
  RENDERS,
  RETENTION,
  SANDBOX,
  SCHEMA_REGISTRY,
  SEGMENT_CACHE,
  SESSIONS,
  SIGN_IN,
  STILLS,
  STILLS_ADDRESS,
  UPLOADS,
  WAITING_RENDERS,
  WEBHOOK_OPENING_KEYS,
  WEBHOOK_SEALING_KEY,
  WEBHOOK_SECRETS,
  WEBHOOKS,
  WORKER,
} from '../platform/configuration/parts.ts';
import { RELAY_STOP_DEADLINE_MS, STOP_DEADLINE_MS, workerStopDeadlineMs } from '../platform/process/stop-deadlines.ts';
import { partsEnvironment } from './environment.ts';
import type { ProcessSpec } from './process/supervised.ts';

export type Component = {
  readonly name: string;
  readonly entry: string;
  /** Ms that the component may take to stop after SIGTERM; ten seconds by default. */
  readonly stop_within_ms?: (env: Environment) => number;
  /**
   * True if the component writes to the store in transactions. After its crash, all open transactions of the store are
   * ended, and other processes retry theirs.
   */
  readonly transactions?: true;
  /** The component gets only the variables of these parts, because it may process media of users. */
  readonly parts: readonly Part[];
};

const LOG = [EVENT_LOG, SCHEMA_REGISTRY];

/** Ms between the program's own limit and SIGKILL. */
const BEFORE_KILL_MS = 5_000;

/** With invalid settings the worker ends at its start, so it needs no time to drain. */
const workerStopsWithin = (env: Environment): number => {
  const decoded = decodeConfiguration(env, { worker: WORKER });
  return workerStopDeadlineMs(isRight(decoded) ? decoded.right.worker.drain_s : 0);
};

export const COMPONENTS: readonly Component[] = [
  {
    ...{ name: 'projectors', entry: 'projectors/main.ts', transactions: true },
    parts: [...LOG, READ_STORE, BLOB_STORE],
  },
  {
    ...{ name: 'query-api', entry: 'query-api/main.ts' },
    parts: [PUBLIC_SERVER, READ_STORE, BLOB_STORE, CURSORS, RATE_LIMITS, CORS, UPLOADS, WAITING_RENDERS],
  },
  {
    ...{ name: 'command-api', entry: 'command-api/main.ts' },
    parts: [
      ...[PUBLIC_SERVER, ...LOG, READ_STORE, BLOB_STORE, RENDERS, IDEMPOTENCY, RATE_LIMITS],
      ...[FAILED_WORK, WAITING_RENDERS, CREDITS, CORS, STILLS, STILLS_ADDRESS, UPLOADS],
    ],
  },
  {
    ...{ name: 'management-api', entry: 'management-api/main.ts' },
    parts: [
      ...[PUBLIC_SERVER, ...LOG, READ_STORE, BLOB_STORE, RATE_LIMITS, CURSORS, SIGN_IN, SESSIONS],
      ...[WEBHOOK_SEALING_KEY, OUTBOUND, RENDERS, FAILED_WORK, WAITING_RENDERS, CREDITS],
      ...[STILLS, STILLS_ADDRESS, UPLOADS],
    ],
  },
  {
    ...{ name: 'preparer', entry: 'render-workers/preparer/main.ts' },
    parts: [...LOG, READ_STORE, BLOB_STORE, ENGINE, SANDBOX, OUTBOUND, PREPARER, ENVIRONMENT, FAILED_WORK],
  },
  {
    ...{ name: 'dispatcher', entry: 'render-workers/dispatcher/main.ts' },
    parts: [...LOG, READ_STORE, DISPATCHER, ENVIRONMENT],
  },
  {
    ...{ name: 'worker', entry: 'render-workers/worker/main.ts', stop_within_ms: workerStopsWithin },
    parts: [...LOG, BLOB_STORE, ENGINE, SANDBOX, WORKER, SEGMENT_CACHE],
  },
  {
    ...{ name: 'stills', entry: 'render-workers/stills/main.ts' },
    parts: [PUBLIC_SERVER, READ_STORE, BLOB_STORE, ENGINE, SANDBOX, OUTBOUND, STILLS],
  },
  {
    ...{ name: 'webhook-relay', entry: 'webhook-relay/main.ts', transactions: true },
    stop_within_ms: () => RELAY_STOP_DEADLINE_MS,
    parts: [...LOG, READ_STORE, BLOB_STORE, WEBHOOK_OPENING_KEYS, WEBHOOK_SECRETS, OUTBOUND, WEBHOOKS],
  },
  {
    ...{ name: 'retention', entry: 'retention/main.ts' },
    parts: [...LOG, READ_STORE, BLOB_STORE, RETENTION],
  },
  {
    ...{ name: 'notary', entry: 'notary/main.ts' },
    parts: [EVENT_LOG, READ_STORE, BLOB_STORE, PROOFS, NOTARY],
  },
  { name: 'gateway', entry: 'gateway/main.ts', parts: [PUBLIC_SERVER, CORS, GATEWAY] },
];

export const DEPLOY_STEP = {
  entry: 'deploy/main.ts',
  parts: [...LOG, BLOB_STORE, DEPLOYMENT],
} satisfies Pick<Component, 'entry' | 'parts'>;

/** One process of a component. Workers are named `worker`, `worker-2`, `worker-3`, … */
export type Instance = { readonly name: string; readonly component: Component };

export const graceMs = ({ stop_within_ms }: Component, env: Environment): number =>
  (stop_within_ms?.(env) ?? STOP_DEADLINE_MS) + BEFORE_KILL_MS;

/** Throws for an unknown component. */
export const instancesOf = (names: readonly string[] | undefined, workers: number): readonly Instance[] => {
  const unknown = (names ?? []).filter((name) => !COMPONENTS.some((component) => component.name === name));
  if (unknown.length > 0) throw new Error(`Unknown component: ${unknown.join(', ')}`);
  return COMPONENTS.filter((component) => names === undefined || names.includes(component.name)).flatMap((component) =>
    component.name === 'worker'
      ? Array.from({ length: workers }, (_, index) => ({
          name: index === 0 ? 'worker' : `worker-${index + 1}`,
          component,
        }))
      : [{ name: component.name, component }],
  );
};

/** Stops the gateway first, then the working components, then the projectors, then the servers. */
export const stopWaves = (instances: readonly Instance[]): readonly (readonly string[])[] => {
  const named = (wanted: (component: string) => boolean) =>
    instances.filter((instance) => wanted(instance.component.name)).map((instance) => instance.name);
  const last = ['gateway', 'projectors'];
  return [
    named((name) => name === 'gateway'),
    named((name) => !last.includes(name)),
    named((name) => name === 'projectors'),
  ];
};

export const componentProcess = (options: {
  readonly instance: Instance;
  readonly root: string;
  readonly health_url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly endTransactions: (() => Promise<void>) | undefined;
  readonly flags?: readonly string[];
}): ProcessSpec => ({
  name: options.instance.name,
  command: process.execPath,
  args: [...(options.flags ?? []), join(options.root, options.instance.component.entry)],
  cwd: options.root,
  env: partsEnvironment([HEALTH_AND_LOGS, ...options.instance.component.parts], options.env),
  ready: async () => {
    const answer = await fetch(`${options.health_url}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  },
  ready_timeout_ms: 120_000,
  grace_ms: graceMs(options.instance.component, options.env),
  cleanUp: options.instance.component.transactions ? options.endTransactions : undefined,
});
