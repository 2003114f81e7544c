import type { LogRecord } from './event-log.ts';

type HeaderValue = Buffer | string | readonly (Buffer | string)[] | undefined;

export type FetchedMessage = {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers?: Readonly<Record<string, HeaderValue>> | undefined;
};

/** The last value of a repeated header. */
const headerText = (value: HeaderValue): string => {
  if (value === undefined) return '';
  const one = Array.isArray(value) ? value.at(-1) : value;
  return typeof one === 'string' ? one : (one?.toString('utf8') ?? '');
};

/** With LogAppendTime, the broker sets the timestamp of a message and returns it in the response to the append. */
export const logRecord = (topic: string, partition: number, message: FetchedMessage): LogRecord => ({
  topic,
  partition,
  offset: Number(message.offset),
  append_time_ms: Number(message.timestamp),
  key: message.key,
  value: message.value,
  headers: Object.fromEntries(Object.entries(message.headers ?? {}).map(([name, value]) => [name, headerText(value)])),
});
