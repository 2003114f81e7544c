import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { isLeft } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { EVENT_LOG } from '../../platform/configuration/parts.ts';
import { kafkaClient } from '../../platform/event-log/kafka-client.ts';
import { openSockets } from '../../platform/event-log/sockets.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { freePort } from '../../stack/process/ports.ts';
import { archiveFlags } from '../../stack/servers/class-archives.ts';
import { answersApiVersions, kafkaProperties } from '../../stack/servers/kafka.ts';
import { toolFolder } from '../../stack/servers/tools.ts';
import { pollUntil } from '../../stack/testing/until.ts';

const BROKERS = [1, 2, 3] as const;
export type BrokerId = (typeof BROKERS)[number];

export type ThreeBrokers = {
  /** Environment of a stack that uses the three brokers, with REPLICATION_FACTOR 3 and MIN_INSYNC_REPLICAS 2. */
  readonly env: Readonly<Record<string, string>>;
  readonly kill: (id: BrokerId, signal: NodeJS.Signals) => Promise<void>;
  readonly start: (id: BrokerId) => Promise<void>;
  readonly leader: (topic: string, partition: number) => Promise<number>;
  readonly move: (topic: string, partition: number, replicas: readonly BrokerId[]) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const JAVA_FLAGS = ['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Djava.awt.headless=true'];
const CLASS_PATH = join(toolFolder('kafka'), 'lib', '*');

/** A missing broker is noticed after three seconds instead of nine. */
const propertiesOf = (id: BrokerId, ports: readonly number[], controllers: readonly number[]): string => {
  const [port = 0, controller = 0] = [ports[id - 1], controllers[id - 1]];
  const voters = BROKERS.map((one) => `${one}@127.0.0.1:${controllers[one - 1]}`).join(',');
  const own = {
    'node.id': `${id}`,
    'controller.quorum.voters': voters,
    'offsets.topic.replication.factor': '3',
    'transaction.state.log.replication.factor': '3',
    'transaction.state.log.min.isr': '2',
    'broker.heartbeat.interval.ms': '500',
    'broker.session.timeout.ms': '3000',
    'replica.lag.time.max.ms': '3000',
    'controller.quorum.election.timeout.ms': '500',
    'controller.quorum.fetch.timeout.ms': '1000',
  };
  // If a property has two lines, Kafka uses the last one, so these lines override the first ones.
  return `${kafkaProperties(port, controller)}${Object.entries(own)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')}`;
};

export const startThreeBrokers = async (folder: string): Promise<ThreeBrokers> => {
  const freePorts = () => Promise.all(BROKERS.map(() => freePort()));
  const [ports, controllers] = [await freePorts(), await freePorts()];
  const cluster_id = randomBytes(16).toString('base64url').replace(/^-/, 'A');
  const folderOf = (id: BrokerId): string => join(folder, `broker-${id}`);

  const java = (id: BrokerId, args: readonly string[]) =>
    execa('java', [...archiveFlags('kafka'), ...JAVA_FLAGS, '-cp', CLASS_PATH, ...args], {
      ...{ cwd: folderOf(id), stdin: 'ignore', stdout: 'ignore', stderr: 'ignore', reject: false },
    });

  const running = new Map<BrokerId, ReturnType<typeof java>>();

  const format = async (id: BrokerId): Promise<void> => {
    await mkdir(folderOf(id), { recursive: true });
    await writeFile(join(folderOf(id), 'server.properties'), propertiesOf(id, ports, controllers));
    const formatted = await java(id, [
      'kafka.tools.StorageTool',
      'format',
      '-t',
      cluster_id,
      '-c',
      'server.properties',
    ]);
    if (formatted.failed) throw new Error(`broker ${id} was not formatted: ${formatted.shortMessage}`);
  };

  const start = async (id: BrokerId): Promise<void> => {
    running.set(id, java(id, ['kafka.Kafka', 'server.properties']));
    await pollUntil(`broker ${id} answers`, () => answersApiVersions(ports[id - 1] ?? 0), 60_000);
  };
  const kill = async (id: BrokerId, signal: NodeJS.Signals): Promise<void> => {
    const its = running.get(id);
    its?.kill(signal);
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await its;
  };

  const brokers = ports.map((port) => `127.0.0.1:${port}`);
  const sockets = openSockets();
  const decoded = decodeConfiguration({ KAFKA_BROKERS: brokers.join(',') }, { log: EVENT_LOG });
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const admin = kafkaClient(decoded.right.log, 'test', createLogger('test', 'silent'), sockets).admin();
  const leader = async (topic: string, partition: number): Promise<number> => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]?.partitions.find(({ partitionId }) => partitionId === partition)?.leader ?? -1;
  };

  await Promise.all(BROKERS.map(format));
  await Promise.all(BROKERS.map(start));
  await pollUntil('the brokers form a cluster', async () => {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length === BROKERS.length;
  });

  return {
    env: {
      KAFKA_BROKERS: brokers.join(','),
      REPLICATION_FACTOR: '3',
      MIN_INSYNC_REPLICAS: '2',
      NEW_LOG_PARTITIONS: '6',
    },
    kill,
    start,
    leader,
    move: async (topic, partition, replicas) => {
      const topics = [{ topic, partitionAssignment: [{ partition, replicas: [...replicas] }] }];
      await admin.alterPartitionReassignments({ topics });
      await pollUntil(`${topic}/${partition} is moved`, async () => {
        const { topics: found } = await admin.fetchTopicMetadata({ topics: [topic] });
        const its = found[0]?.partitions.find(({ partitionId }) => partitionId === partition);
        return its?.replicas.length === replicas.length && replicas.some((id) => id === its.leader);
      });
    },
    stop: async () => {
      await admin.disconnect().catch(() => undefined);
      sockets.destroyAll();
      await Promise.all(BROKERS.map((id) => kill(id, 'SIGKILL')));
    },
  };
};
