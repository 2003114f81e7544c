import { useSyncExternalStore } from 'react';

/** `text` is null if the request was a repeat, because only the first response had the secret. */
export type Secret = { readonly kind: 'key' | 'signing_secret' | 'invitation'; readonly text: string | null };

let waiting: readonly Secret[] = [];
const watchers = new Set<() => void>();

const askBeforeUnload = (event: BeforeUnloadEvent): void => event.preventDefault();

const set = (next: readonly Secret[]): void => {
  waiting = next;
  if (next.length > 0) window.addEventListener('beforeunload', askBeforeUnload);
  else window.removeEventListener('beforeunload', askBeforeUnload);
  for (const watcher of watchers) watcher();
};

/**
 * Shows a secret above all pages until the person confirms that they copied it. Call it where the secret is created,
 * because the form may be gone when the response arrives.
 */
export const showSecret = (secret: Secret): void => set([...waiting, secret]);

export const dismissSecret = (): void => set(waiting.slice(1));

export const forgetSecrets = (): void => set([]);

export const useShownSecret = (): Secret | null =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => waiting[0] ?? null,
  );
