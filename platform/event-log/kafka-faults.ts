/** Fields of an error of kafkajs. Any thrown value can be read as one. */
export type KafkaFault = {
  readonly name: string;
  /** The protocol's name of the error, such as `MESSAGE_TOO_LARGE`. */
  readonly type: string | undefined;
  readonly retriable: boolean;
  readonly message: string;
  readonly host: string | undefined;
  readonly port: number | undefined;
  /** `host:port` of a broker that did not answer in time. */
  readonly broker: string | undefined;
};

export const kafkaFault = (error: unknown): KafkaFault => {
  const field = (name: string): unknown =>
    typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
  const textField = (name: string): string | undefined => {
    const value = field(name);
    return typeof value === 'string' ? value : undefined;
  };
  const port = field('port');
  return {
    name: textField('name') ?? 'Error',
    type: textField('type'),
    retriable: field('retriable') !== false,
    message: textField('message') ?? String(error),
    host: textField('host'),
    port: typeof port === 'number' ? port : undefined,
    broker: textField('broker'),
  };
};

export const isMissingTopic = (error: unknown): boolean => kafkaFault(error).type === 'UNKNOWN_TOPIC_OR_PARTITION';
