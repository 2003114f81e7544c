import { CHANGED_TYPES, type Changed } from './changed-keys.ts';

/**
 * - `alive`: changes arrive.
 * - `resumed`: as `alive`, but changes of anything other than renders may have been missed.
 * - `lost`: changes are missed.
 * - `refused`: as `lost`, and the person may have lost access to the account.
 * - `reset`: all shown data may be stale.
 */
export type LiveEvent =
  | { readonly tag: 'changed'; readonly changed: Changed }
  | { readonly tag: 'alive' | 'resumed' | 'reset' | 'lost' | 'refused' };

const FIRST_DELAY_MS = 2_000;
const LONGEST_DELAY_MS = 30_000;
/** The server sends a keep-alive every 15 s. */
const SILENCE_MS = 45_000;

/** Null for a type that only later versions of this page know. */
const asChanged = (text: string): Changed | null => {
  try {
    const { type: given, id } = Object(JSON.parse(text));
    const type = CHANGED_TYPES.find((one) => one === given);
    return type !== undefined && typeof id === 'string' ? { type, id } : null;
  } catch {
    return null;
  }
};

/**
 * Listens to the changes of an account until the signal aborts. The browser resumes a broken connection. A refused or
 * silent connection is replaced after a delay, and the new one begins with `reset`.
 */
const listen = (account_id: string, tell: (event: LiveEvent) => void, signal: AbortSignal): void => {
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
      // The server resends missed changes only on a resumed connection.
      if (is_new) tell({ tag: 'reset' });
      else tell({ tag: 'resumed' });
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
 * Like {@link listen}, but one tab listens for all tabs of the browser. When that tab closes, another one continues.
 * Browsers allow six connections to a server, and each stream uses one permanently.
 */
export const listenAcrossTabs = (account_id: string, tell: (event: LiveEvent) => void, signal: AbortSignal): void => {
  const name = `changes of ${account_id}`;
  const tabs = new BroadcastChannel(name);
  tabs.onmessage = ({ data }: MessageEvent<LiveEvent>) => tell(data);
  signal.addEventListener('abort', () => tabs.close());
  const lead = (): void =>
    listen(
      account_id,
      (event) => {
        tell(event);
        if (!signal.aborted) tabs.postMessage(event);
      },
      signal,
    );
  // Web locks exist only in secure contexts; plain HTTP at a network address is not one.
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
