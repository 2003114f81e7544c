import { parseSetCookie } from 'cookie';
import { resolveLocalhostNames } from '../../../stack/testing/localhost-names.ts';

type Kept = {
  readonly name: string;
  readonly value: string;
  readonly path: string;
  /** The host of the cookie; null for a cookie that is sent to all hosts. */
  readonly host: string | null;
};

resolveLocalhostNames();

/** The part of a browser that signing in needs: cookies by host name and path, for any port. */
export type Browser = {
  /** Sends one request with the stored cookies; does not follow redirects. */
  readonly ask: (url: string, more?: RequestInit) => Promise<Response>;
  readonly open: (url: string, follows?: (url: string) => boolean) => Promise<{ url: string; response: Response }>;
  readonly cookie: (name: string) => string | undefined;
  readonly setCookie: (name: string, value: string) => void;
};

const MAX_HOPS = 12;

export const openBrowser = (): Browser => {
  let kept: readonly Kept[] = [];
  const keep = (one: Kept): void => {
    kept = [...kept.filter(({ name, path, host }) => name !== one.name || path !== one.path || host !== one.host), one];
  };

  const ask = async (url: string, more: RequestInit = {}): Promise<Response> => {
    const { pathname, hostname } = new URL(url);
    const sent = kept
      .filter(({ path, host }) => pathname.startsWith(path) && (host === null || host === hostname))
      .map(({ name, value }) => `${name}=${value}`);
    const headers = new Headers(more.headers);
    if (sent.length > 0) headers.set('Cookie', sent.join('; '));
    const response = await fetch(url, { ...more, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const { name, value = '', path = '/', maxAge, expires } = parseSetCookie(line);
      const is_over = maxAge === 0 || (expires !== undefined && expires.getTime() < Date.now());
      const isIt = (one: Kept): boolean =>
        one.name === name && one.path === path && (one.host === null || one.host === hostname);
      if (is_over) kept = kept.filter((one) => !isIt(one));
      else {
        kept = kept.filter((one) => !isIt(one));
        keep({ name, value, path, host: hostname });
      }
    }
    return response;
  };

  return {
    ask,
    open: async (url, follows = () => true) => {
      let at = url;
      for (let hops = 0; hops < MAX_HOPS; hops += 1) {
        const response = await ask(at);
        const location = response.headers.get('location');
        const next = location === null ? null : new URL(location, at).href;
        if (next === null || !follows(next)) return { url: next ?? at, response };
        await response.arrayBuffer();
        at = next;
      }
      throw new Error(`${url} leads on and on`);
    },
    cookie: (name) => kept.find((one) => one.name === name)?.value,
    setCookie: (name, value) => keep({ name, value, path: '/', host: null }),
  };
};
