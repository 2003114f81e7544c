import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** The addresses of the requested family, none, a missing name, a broken server or silence. */
export type DnsAnswer = readonly string[] | 'no_such_name' | 'server_failure' | 'silence';

export type DnsServer = {
  readonly server: string;
  /** `A name` and `AAAA name` in the order of arrival. */
  readonly asked: () => readonly string[];
  readonly close: () => Promise<void>;
};

const TYPES: ReadonlyMap<number, 'A' | 'AAAA'> = new Map([
  [1, 'A'],
  [28, 'AAAA'],
]);
const HEADER_BYTES = 12;

/** The one question of a query: its name, type and bytes. */
const questionOf = (query: Buffer): { name: string; type: number; bytes: Buffer } => {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  return { name: labels.join('.').toLowerCase(), type, bytes: query.subarray(HEADER_BYTES, at + 5) };
};

const recordOf = (type: number, address: string): Buffer => {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4); // class IN; the time to live stays 0
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
};

const replyTo = (query: Buffer, question: Buffer, code: number, records: readonly Buffer[]): Buffer => {
  const head = Buffer.alloc(HEADER_BYTES);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records.length, 6);
  return Buffer.concat([head, question, ...records]);
};

/** A UDP name server on this machine whose answers can change. */
export const startDnsServer = async (answer: (name: string, type: 'A' | 'AAAA') => DnsAnswer): Promise<DnsServer> => {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const question = questionOf(query);
    const type = TYPES.get(question.type);
    if (type === undefined) return;
    asked.push(`${type} ${question.name}`);
    const answers = answer(question.name, type);
    if (answers === 'silence') return;
    const code = answers === 'no_such_name' ? 3 : answers === 'server_failure' ? 2 : 0;
    const records = typeof answers === 'string' ? [] : answers.map((address) => recordOf(question.type, address));
    socket.send(replyTo(query, question.bytes, code, records), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    close: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
};
