import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { archiveFlags } from './class-archives.ts';
import type { Server } from './server.ts';
import { requireTool, toolFolder } from './tools.ts';

/**
 * One broker that is its own controller (KRaft). With static voters the controller's address is only configuration, so
 * it may change between two starts on the same data. Paths are relative to the broker's folder, whose name may contain
 * any character.
 */
export const kafkaProperties = (port: number, controllerPort: number, clientPort = port): string =>
  Object.entries({
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${clientPort}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': 'log',
    'auto.create.topics.enable': 'false',
    'group.initial.rebalance.delay.ms': '0',
    'offsets.topic.num.partitions': '4',
    'offsets.topic.replication.factor': '1',
    'transaction.state.log.num.partitions': '1',
    'transaction.state.log.replication.factor': '1',
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.num.partitions': '1',
    'share.coordinator.state.topic.replication.factor': '1',
    'share.coordinator.state.topic.min.isr': '1',
    'num.network.threads': '2',
    'num.io.threads': '4',
    'num.recovery.threads.per.data.dir': '2',
    'background.threads': '2',
    // The default would take half of the small heap.
    'log.cleaner.dedupe.buffer.size': String(16 * 1024 * 1024),
    // By default, an idle controller writes a record twice per second.
    'metadata.max.idle.interval.ms': '10000',
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');

const JAVA_FLAGS = [
  '-Xms64m',
  '-Xmx384m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:+ExitOnOutOfMemoryError',
  '-Djava.awt.headless=true',
  '-Dorg.slf4j.simpleLogger.logFile=System.out',
  '-Dorg.slf4j.simpleLogger.showDateTime=true',
  '-Dorg.slf4j.simpleLogger.dateTimeFormat=HH:mm:ss.SSS',
  '-Dorg.slf4j.simpleLogger.showThreadName=false',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
  '-Dorg.slf4j.simpleLogger.log.kafka.server=info',
];

export const kafkaServer = (options: {
  readonly folder: string;
  readonly port: number;
  readonly controllerPort: number;
  readonly client_port?: number;
  readonly env: Readonly<Record<string, string>>;
}): Server => {
  const classPath = join(toolFolder('kafka'), 'lib', '*');
  const clientPort = options.client_port ?? options.port;
  return {
    prepare: async (signal) => {
      requireTool(join(toolFolder('kafka'), 'lib'));
      mkdirSync(options.folder, { recursive: true });
      writeFileSync(
        join(options.folder, 'server.properties'),
        kafkaProperties(options.port, options.controllerPort, clientPort),
      );
      // The format is complete if this file exists: the format step writes it last.
      if (existsSync(join(options.folder, 'log', 'meta.properties'))) return;
      const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A');
      await execa(
        'java',
        [
          ...archiveFlags('kafka'),
          '-XX:TieredStopAtLevel=1',
          '-XX:+UseSerialGC',
          '-cp',
          classPath,
          'kafka.tools.StorageTool',
          'format',
          '--ignore-formatted',
          '-t',
          clusterId,
          '-c',
          'server.properties',
        ],
        {
          cwd: options.folder,
          env: options.env,
          extendEnv: false,
          stdin: 'ignore',
          timeout: 60_000,
          ...(signal ? { cancelSignal: signal } : {}),
        },
      );
    },
    process: {
      name: 'kafka',
      command: 'java',
      args: [...archiveFlags('kafka'), ...JAVA_FLAGS, '-cp', classPath, 'kafka.Kafka', 'server.properties'],
      cwd: options.folder,
      env: options.env,
      ready: () => answersApiVersions(options.port),
      ready_timeout_ms: 120_000,
      grace_ms: 20_000,
    },
    env: {
      KAFKA_BROKERS: `127.0.0.1:${clientPort}`,
      REPLICATION_FACTOR: '1',
      MIN_INSYNC_REPLICAS: '1',
      // More partitions slow each start down, and have no benefit on one machine.
      NEW_LOG_PARTITIONS: '4',
    },
  };
};

/** Sends an ApiVersions request (version 0); true if a response arrives. */
export const answersApiVersions = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = Buffer.from('0000000a' + '0012' + '0000' + '00000001' + 'ffff', 'hex');
    const socket = connect({ host: '127.0.0.1', port });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(2_000, () => end(false));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
    socket.once('connect', () => socket.write(request));
    socket.once('data', (answer) => end(answer.length >= 8 && answer.readInt32BE(4) === 1));
  });
