import { join } from 'node:path';
import { execa } from 'execa';
import { type ICreateToxicBody, Toxiproxy } from 'toxiproxy-node-client';
import { freePort } from '../../stack/process/ports.ts';
import type { ClientPort } from '../../stack/servers/servers.ts';
import { requireTool, toolFolder } from '../../stack/servers/tools.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import type { Victim } from './_faults.ts';

/** Toxiproxy between the processes of a stack: each link has a round trip of 5 ms, and faults. */
export type Network = {
  readonly clientPort: ClientPort;
  /**
   * The environment for processes with their own links to the same servers. The broker tells all clients one address,
   * so all share the link to Kafka.
   */
  readonly besides: (env: Readonly<Record<string, string>>) => Promise<Readonly<Record<string, string>>>;
  readonly links: () => readonly Victim[];
  readonly close: () => Promise<void>;
};

type Toxic = Pick<ICreateToxicBody<unknown>, 'type' | 'stream' | 'attributes'>;

const ROUND_TRIP: Toxic = { type: 'latency', stream: 'downstream', attributes: { latency: 5, jitter: 0 } };

/** A `timeout` of 0 stops all data, even in mid-message, and finally closes the connections. */
const TOXICS: readonly { readonly what: string; readonly toxic: Toxic }[] = [
  { what: 'stalled-requests', toxic: { type: 'timeout', stream: 'upstream', attributes: { timeout: 0 } } },
  { what: 'stalled-answers', toxic: { type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } } },
  { what: 'slow-by-500-ms', toxic: { type: 'latency', stream: 'upstream', attributes: { latency: 500, jitter: 0 } } },
  { what: 'at-16-kB-per-s', toxic: { type: 'bandwidth', stream: 'downstream', attributes: { rate: 16 } } },
];

export const startNetwork = async (): Promise<Network> => {
  const program = requireTool(join(toolFolder('toxiproxy'), 'toxiproxy-server'));
  const api_port = await freePort();
  const server = execa(program, ['-host', '127.0.0.1', '-port', String(api_port)], { stdio: 'ignore', reject: false });
  const toxiproxy = new Toxiproxy(`http://127.0.0.1:${api_port}`);
  await pollUntil('Toxiproxy answers', () => toxiproxy.getVersion());

  const links: Victim[] = [];
  const ports = new Map<string, { readonly client: number; readonly server: number }>();

  const link = async (name: string, port: number): Promise<number> => {
    const proxy = await toxiproxy.createProxy({ name, listen: '127.0.0.1:0', upstream: `127.0.0.1:${port}` });
    await proxy.addToxic({ name: 'steady', ...ROUND_TRIP, toxicity: 1 });
    const { listen, upstream } = proxy;
    const open = (enabled: boolean) => proxy.update({ listen, upstream, enabled });
    const toxics = TOXICS.map(({ what, toxic }) => ({
      what,
      begin: () => proxy.addToxic({ name: what, ...toxic, toxicity: 1 }),
      end: async () => await (await proxy.getToxic(what)).remove(),
    }));
    links.push({
      name: `the link to ${name}`,
      harms: [{ what: 'cut', begin: () => open(false), end: () => open(true) }, ...toxics],
    });
    return Number(proxy.listen.split(':').at(-1));
  };

  return {
    clientPort: async (name, port) => {
      const client = await link(name, port);
      ports.set(name, { client, server: port });
      return client;
    },
    besides: async (env) => {
      const found = { ...env };
      for (const name of ['registry', 'store', 'blob']) {
        const its = ports.get(name);
        if (its === undefined) continue;
        const own = await link(`${name}, of the second processes`, its.server);
        for (const [variable, value] of Object.entries(found))
          found[variable] = value.replace(`127.0.0.1:${its.client}`, `127.0.0.1:${own}`);
      }
      return found;
    },
    links: () => links,
    close: async () => {
      server.kill('SIGKILL');
      await server;
    },
  };
};
