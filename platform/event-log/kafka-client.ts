import { Kafka, type KafkaConfig, type LogEntry, logLevel, type SASLOptions } from 'kafkajs';
import type { Values } from '../configuration/configuration.ts';
import type { EVENT_LOG } from '../configuration/parts.ts';
import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import type { Sockets } from './sockets.ts';

export type KafkaSettings = Values<typeof EVENT_LOG>;

export const CONNECTION_TIMEOUT_MS = 3_000;
/** A broker counts as unavailable after this time. The requested wait of a fetch is added to it. */
export const REQUEST_TIMEOUT_MS = 6_000;

/** Retries of one connection attempt. Callers that need a broker for longer retry themselves. */
export const CONNECT_RETRY = { retries: 1, initialRetryTime: 100, maxRetryTime: 1_000, factor: 0.2, multiplier: 2 };

/** kafkajs logs an error for each attempt at an unavailable broker. One unavailable broker is only worth a warning. */
const LEVELS: Readonly<Record<number, 'warn' | 'debug' | 'trace'>> = {
  [logLevel.ERROR]: 'warn',
  [logLevel.WARN]: 'debug',
  [logLevel.INFO]: 'debug',
  [logLevel.DEBUG]: 'trace',
};

const kafkaLogger = (logger: Logger) => () => {
  const warn = throttledWarn(logger);
  return ({ namespace, level, log }: LogEntry): void => {
    const { message, timestamp: _, logger: __, stack: ___, ...details } = log;
    const severity = LEVELS[level] ?? 'debug';
    if (severity === 'warn') warn({ kafka: namespace, ...details }, message);
    else logger[severity]({ kafka: namespace, ...details }, message);
  };
};

const enough = (logger: Logger): logLevel => (logger.isLevelEnabled('debug') ? logLevel.INFO : logLevel.ERROR);

export const saslOf = ({ username, password, sasl_mechanism }: KafkaSettings): SASLOptions | undefined =>
  username === undefined ? undefined : { mechanism: sasl_mechanism, username, password };

export const kafkaClient = (settings: KafkaSettings, client_id: string, logger: Logger, sockets: Sockets): Kafka => {
  const sasl = saslOf(settings);
  const config: KafkaConfig = {
    brokers: [...settings.brokers],
    clientId: client_id,
    ssl: settings.tls,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    authenticationTimeout: 10_000,
    reauthenticationThreshold: 10_000,
    requestTimeout: REQUEST_TIMEOUT_MS,
    enforceRequestTimeout: true,
    retry: CONNECT_RETRY,
    socketFactory: sockets.create,
    logLevel: enough(logger),
    logCreator: kafkaLogger(logger),
  };
  return new Kafka(sasl === undefined ? config : { ...config, sasl });
};
