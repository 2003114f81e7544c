import { join } from 'node:path';
import type { ProcessSpec } from './process/supervised.ts';
import { SECRET_NAMES, type SecretName } from './secrets.ts';

/** A program of the service: every one is `node <entry>` with its settings in the environment. */
export type Component = {
  readonly name: string;
  /** Below the project's root. */
  readonly entry: string;
  /** From SIGTERM until it is killed: a worker is given time to hand its attempts back. */
  readonly grace_ms: number;
  /** Whether clients may call it: it is given a PORT, beside that of its health. */
  readonly public_interface?: true;
  /**
   * Whether it writes to the store in transactions: those that a crash left open are then ended. So are those that others
   * have under way, which begin them again.
   */
  readonly transactions?: true;
  /** Secrets of the stack that it is given; the others it is not, least of all what works on media of strangers. */
  readonly secrets?: readonly SecretName[];
};

export const COMPONENTS: readonly Component[] = [
  { name: 'projectors', entry: 'projectors/main.ts', grace_ms: 10_000, transactions: true },
  {
    name: 'query-api',
    entry: 'query-api/main.ts',
    grace_ms: 10_000,
    public_interface: true,
    secrets: ['CURSOR_SECRET'],
  },
  {
    name: 'command-api',
    entry: 'command-api/main.ts',
    grace_ms: 10_000,
    public_interface: true,
    secrets: ['IDEMPOTENCY_SECRET'],
  },
  { name: 'preparer', entry: 'render-workers/preparer/main.ts', grace_ms: 10_000 },
  { name: 'dispatcher', entry: 'render-workers/dispatcher/main.ts', grace_ms: 10_000 },
  { name: 'worker', entry: 'render-workers/worker/main.ts', grace_ms: 20_000 },
  {
    name: 'webhook-relay',
    entry: 'webhook-relay/main.ts',
    grace_ms: 20_000,
    transactions: true,
    secrets: ['WEBHOOK_SECRETS_KEY'],
  },
  { name: 'gateway', entry: 'stack/gateway/main.ts', grace_ms: 10_000, public_interface: true },
];

/** One process of a component; of several workers the first is `worker`, the next ones `worker-2`, `worker-3`, … */
export type Instance = { readonly name: string; readonly component: Component };

/** The processes to start. Throws for a name that is no component. */
export const instancesOf = (names: readonly string[] | undefined, workers: number): readonly Instance[] => {
  const unknown = (names ?? []).filter((name) => !COMPONENTS.some((component) => component.name === name));
  if (unknown.length > 0) throw new Error(`No such component: ${unknown.join(', ')}`);
  return COMPONENTS.filter((component) => names === undefined || names.includes(component.name)).flatMap((component) =>
    component.name === 'worker'
      ? Array.from({ length: workers }, (_, index) => ({
          name: index === 0 ? 'worker' : `worker-${index + 1}`,
          component,
        }))
      : [{ name: component.name, component }],
  );
};

/** The order of a stop: first nobody may ask any more, then the work ends, then its record is kept, then the servers. */
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

/** The environment of the stack without the secrets of others. */
const environmentFor = (
  { secrets = [] }: Component,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => {
  const others: readonly string[] = SECRET_NAMES.filter((name) => !secrets.includes(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
};

export const componentProcess = (options: {
  readonly instance: Instance;
  readonly root: string;
  readonly health_url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly endTransactions: (() => Promise<void>) | undefined;
}): ProcessSpec => ({
  name: options.instance.name,
  command: process.execPath,
  args: [join(options.root, options.instance.component.entry)],
  cwd: options.root,
  env: environmentFor(options.instance.component, options.env),
  ready: async () => {
    const answer = await fetch(`${options.health_url}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  },
  ready_timeout_ms: 120_000,
  grace_ms: options.instance.component.grace_ms,
  cleanUp: options.instance.component.transactions ? options.endTransactions : undefined,
});
