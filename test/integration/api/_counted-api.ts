import { connect, createServer, type Socket } from 'node:net';
import { BSON } from 'mongodb';
import { startComponent } from '../../helpers/component-process.ts';
import type { World } from './_world.ts';

/** https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
const HEADER_BYTES = 16;
const OP_MSG = 2013;
/** After the header come four bytes of flags and the kind of the first section, which contains the command. */
const COMMAND_AT = HEADER_BYTES + 5;

/** Commands that a driver sends without a request. */
const CHATTER = ['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'];

const commandOf = (message: Buffer): string | null => {
  if (message.readInt32LE(12) !== OP_MSG) return null;
  const [[name, on] = ['', '']] = Object.entries(
    BSON.deserialize(message.subarray(COMMAND_AT, COMMAND_AT + message.readInt32LE(COMMAND_AT))),
  );
  return CHATTER.includes(name) ? null : `${name} ${on}`;
};

const tellCommands = (client: Socket, tell: (command: string) => void): void => {
  let rest = Buffer.alloc(0);
  client.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const command = commandOf(rest.subarray(0, rest.readInt32LE(0)));
      if (command !== null) tell(command);
      rest = rest.subarray(rest.readInt32LE(0));
    }
  });
};

export type CountedApi = {
  readonly url: string;
  readonly commands: () => readonly string[];
  readonly stop: () => Promise<void>;
};

export const startCountedApi = async ({ stack }: World, name: 'query-api' | 'command-api'): Promise<CountedApi> => {
  const store = new URL(stack.env.MONGODB_URL ?? '');
  let commands: string[] = [];
  const relay = createServer((client) => {
    const server = connect(Number(store.port), store.hostname);
    tellCommands(client, (command) => commands.push(command));
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  const address = relay.address();
  const relayed = new URL(store);
  relayed.port = String(typeof address === 'object' ? address?.port : '');
  // A direct connection, because the driver would otherwise connect to the address that the server reports.
  relayed.searchParams.delete('replicaSet');
  relayed.searchParams.set('directConnection', 'true');
  const api = await startComponent(name, { ...stack.env, MONGODB_URL: relayed.href });
  return {
    url: api.url,
    commands: () => {
      const sent = commands;
      commands = [];
      return sent;
    },
    stop: async () => {
      await api.end();
      relay.close();
    },
  };
};
