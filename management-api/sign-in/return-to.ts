const MAX_CHARACTERS = 512;

/**
 * A path and query of unreserved characters. No browser can read such a text as another host, a scheme or a parent
 * folder.
 */
const PATH = /^(\/[\w~.-]+)*\/?(\?[\w~.=&%+-]*)?$/;
const DOTS_ALONE = /\/\.+(\/|\?|$)/;

export const isReturnTarget = (path: string): boolean =>
  path.length <= MAX_CHARACTERS && path.startsWith('/') && PATH.test(path) && !DOTS_ALONE.test(path);
