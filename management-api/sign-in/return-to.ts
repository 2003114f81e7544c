const MAX_CHARACTERS = 512;

/** A path and a query of plain signs. No browser reads another host, a scheme or a way up in it. */
const PATH = /^(\/[\w~.-]+)*\/?(\?[\w~.=&%+-]*)?$/;
const DOTS_ALONE = /\/\.+(\/|\?|$)/;

/** Whether whoever has signed in may be led there. */
export const isReturnTarget = (path: string): boolean =>
  path.length <= MAX_CHARACTERS && path.startsWith('/') && PATH.test(path) && !DOTS_ALONE.test(path);
