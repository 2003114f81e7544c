import type { Socket } from 'node:net';

/** So many bytes are parsed in one go: a usual request, or half a millisecond of hostile ones. */
const SLICE_BYTES = 2 * 1024;

/**
 * Lets the HTTP parser have what a client sends in small slices. Node would parse 64 KiB at once, which may be 1,300
 * requests or 10,000 chunks of a body, and those of every connection before anything else.
 *
 * @param socket that the HTTP server has already, before anything came
 * @param inTurn calls `parse` now or later
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
    // Emits 'data', which the parser listens to.
    if (is_wanted && socket.readableLength > 0) socket.read(Math.min(SLICE_BYTES, socket.readableLength));
    is_waiting = false;
    if (socket.destroyed || !is_wanted) return;
    if (socket.readableLength > 0) offer();
    // Goes on reading, or ends where the client has ended.
    else socket.read(0);
  };
  // Node's parser has read the socket below its stream, and no longer does so from here on.
  socket.on('readable', offer);
  // The parser calls these, and a stream with such a listener ignores them.
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
