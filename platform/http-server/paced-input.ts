import type { Socket } from 'node:net';

/** A slice has one usual request, or hostile requests that take half a millisecond to parse. */
const SLICE_BYTES = 2 * 1024;

/**
 * Passes the input to the parser in slices, each in its turn. Node would parse 64 KiB at once: up to 1,300 requests or
 * 10,000 chunks of a body, before any other work.
 * @param socket attached to the HTTP server, before any input
 */
export const paceInput = (socket: Socket, inTurn: (parse: () => void) => void): void => {
  let is_wanted = true;
  let is_waiting = false;
  const offer = (): void => {
    if (is_waiting || !is_wanted) return;
    is_waiting = true;
    inTurn(parse);
  };
  const parse = (): void => {
    if (is_wanted && socket.readableLength > 0) socket.read(Math.min(SLICE_BYTES, socket.readableLength));
    is_waiting = false;
    if (socket.destroyed || !is_wanted) return;
    if (socket.readableLength > 0) offer();
    // Continues reading, or emits the end if the client has ended.
    else socket.read(0);
  };
  // Node's parser reads the socket handle directly; this listener makes it use the stream instead.
  socket.on('readable', offer);
  // The parser calls these methods, but a stream with a 'readable' listener ignores them. So they are replaced.
  socket.pause = () => {
    is_wanted = false;
    return socket;
  };
  socket.resume = () => {
    is_wanted = true;
    offer();
    return socket;
  };
};
