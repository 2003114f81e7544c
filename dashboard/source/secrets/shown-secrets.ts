import { useSyncExternalStore } from 'react';

/** What the service shows once. `text` is null where the request was a repeat: the first answer had the secret. */
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
 * Shows a secret above all pages until the person says that they have copied it. Call it in the function that makes the
 * secret: the form that asked for it may be gone when the answer comes.
 */
export const showSecret = (secret: Secret): void => set([...waiting, secret]);

/** The person has the shown secret. The next one follows. */
export const dismissSecret = (): void => set(waiting.slice(1));

/** Nothing of them is for the person who signs in next. */
export const forgetSecrets = (): void => set([]);

/** The secret to be shown now; null where there is none. */
export const useShownSecret = (): Secret | null =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => waiting[0] ?? null,
  );
