import type { LogRecord } from './event-log.ts';

type HeaderValue = Buffer | string | readonly (Buffer | string)[] | undefined;

/** A message as kafkajs hands it out, from a consumer or a bare fetch. */
export type FetchedMessage = {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
};

/** Of a header that is repeated, the last. */
const headerText = (value: HeaderValue): string => {
  if (value === undefined) return '';
  const one = Array.isArray(value) ? value.at(-1) : value;
  return typeof one === 'string' ? one : (one?.toString('utf8') ?? '');
};

/** With LogAppendTime the timestamp of a message is the broker's, and the one in the answer to the append. */
export const logRecord = (topic: string, partition: number, message: FetchedMessage): LogRecord => ({
  topic,
  partition,
  offset: Number(message.offset),
  append_time_ms: Number(message.timestamp),
  key: message.key,
  value: message.value,
  headers: Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, headerText(value)])),
});
