import { useSyncExternalStore } from 'react';

/**
 * A secret that the service shows once. `text` is null if the request was a repeat: the first answer had the secret.
 */
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
 * Shows a secret above all pages until the person confirms that they copied it. Call it in the function that creates
 * the secret, because the form may be gone when the answer arrives.
 */
export const showSecret = (secret: Secret): void => set([...waiting, secret]);

/** Removes the secret that the person has copied, and shows the next one. */
export const dismissSecret = (): void => set(waiting.slice(1));

/** Removes all secrets, so that the next person who signs in cannot see them. */
export const forgetSecrets = (): void => set([]);

/** The secret to show now; null if no secret waits. */
export const useShownSecret = (): Secret | null =>
  useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => waiting[0] ?? null,
  );
