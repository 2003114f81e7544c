/**
 * A TCP proxy on loopback that lengthens the round trip: it forwards the bytes of both sides after half of
 * ROUND_TRIP_MS. Prints a line when it listens.
 * PORT=… TARGET_PORT=… ROUND_TRIP_MS=… node bench/delaying-proxy/main.ts
 */
import { connect, createServer, type Socket } from 'node:net';
import { env, stdout } from 'node:process';

const HOST = '127.0.0.1';
const [port, target_port, round_trip_ms] = [env.PORT, env.TARGET_PORT, env.ROUND_TRIP_MS].map(Number);
if (port === undefined || target_port === undefined || round_trip_ms === undefined) throw new Error('no settings');
const there_ms = Math.ceil(round_trip_ms / 2);
const back_ms = Math.floor(round_trip_ms / 2);

/** Timers of equal length fire in the order in which they were set, so bytes keep their order. */
const handOn = (from: Socket, to: Socket, delay_ms: number): void => {
  from.setNoDelay(true);
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delay_ms));
  from.on('end', () => setTimeout(() => to.end(), delay_ms));
  from.on('error', () => to.destroy());
  from.on('close', () => setTimeout(() => to.destroy(), delay_ms));
};

const server = createServer({ allowHalfOpen: true }, (client) => {
  const upstream = connect({ host: HOST, port: target_port, allowHalfOpen: true });
  handOn(client, upstream, there_ms);
  handOn(upstream, client, back_ms);
});
server.listen(port, HOST, () => stdout.write('listening\n'));
