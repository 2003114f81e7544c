/** What has changed: a page reads it by its id. */
export type Changed = { readonly id: string; readonly team_id: string };

/**
 * `alive`: changes are told; `lost`: what happens meanwhile is not; `refused`: nor is it, and the person may have no part in the
 * account; `reset`: everything that is shown may be old.
 */
export type Told =
  | { readonly tag: 'changed'; readonly changed: Changed }
  | { readonly tag: 'alive' | 'reset' | 'lost' | 'refused' };

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 30_000;
/** The server says every 15 s that it is there. */
const SILENCE_MS = 45_000;

const asChanged = (text: string): Changed | null => {
  try {
    const { type, id, team_id } = Object(JSON.parse(text));
    return type === 'render' && typeof id === 'string' && typeof team_id === 'string' ? { id, team_id } : null;
  } catch {
    return null;
  }
};

/**
 * Listens to the changes of an account until the signal aborts. A connection that breaks is resumed by the browser; one
 * that was refused, or says nothing any more, is made anew after a while, and begins with `reset`.
 */
const listen = (account_id: string, tell: (told: Told) => void, signal: AbortSignal): void => {
  let source: EventSource | null = null;
  let delay_ms = FIRST_DELAY_MS;
  let timer = 0;
  const open = (): void => {
    const own = new EventSource(`/manage/v1/accounts/${encodeURIComponent(account_id)}/changes`);
    source = own;
    let is_new = true;
    const anew = (after_ms: number): void => {
      own.close();
      clearTimeout(timer);
      timer = window.setTimeout(open, after_ms);
    };
    const heard = (): void => {
      clearTimeout(timer);
      timer = window.setTimeout(() => anew(0), SILENCE_MS);
    };
    own.onopen = () => {
      heard();
      delay_ms = FIRST_DELAY_MS;
      // A new one does not know what was missed before; one that was resumed is told.
      if (is_new) tell({ tag: 'reset' });
      else tell({ tag: 'alive' });
      is_new = false;
    };
    own.addEventListener('changed', ({ data }) => {
      heard();
      const changed = asChanged(data);
      if (changed !== null) tell({ tag: 'changed', changed });
    });
    own.addEventListener('reset', () => {
      heard();
      tell({ tag: 'reset' });
    });
    own.addEventListener('alive', () => {
      heard();
      tell({ tag: 'alive' });
    });
    own.onerror = () => {
      const is_refused = own.readyState === EventSource.CLOSED;
      tell({ tag: is_refused ? 'refused' : 'lost' });
      if (!is_refused) return;
      anew(delay_ms);
      delay_ms = Math.min(2 * delay_ms, LONGEST_DELAY_MS);
    };
  };
  open();
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    source?.close();
  });
};

/**
 * The same for all tabs of a browser: one of them listens and tells the others, and when it is closed, another one goes
 * on. Browsers have six connections to a server, and a stream takes one for as long as it lasts.
 */
export const listenTogether = (account_id: string, tell: (told: Told) => void, signal: AbortSignal): void => {
  const name = `changes of ${account_id}`;
  const tabs = new BroadcastChannel(name);
  tabs.onmessage = ({ data }: MessageEvent<Told>) => tell(data);
  signal.addEventListener('abort', () => tabs.close());
  const lead = (): void =>
    listen(
      account_id,
      (told) => {
        tell(told);
        if (!signal.aborted) tabs.postMessage(told);
      },
      signal,
    );
  // Of secure pages alone, which ours are but on a plain address of a network.
  if (!('locks' in navigator)) {
    lead();
    return;
  }
  void navigator.locks
    .request(name, { signal }, () => {
      lead();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    })
    .catch(() => undefined);
};
