import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Refused } from './client.ts';

export const ME = ['me'] as const;

/** Refusals stay what they are; a service that is busy, or a network that fails, is asked again. */
const isWorthTrying = (error: unknown): boolean => !(error instanceof Refused) || error.status >= 500;

const MOST_TRIES = 3;

/** A page that is open for long and fails again and again asks no more often who the person is. */
const ASKED_EVERY_MS = 2_000;
let asked_at = Number.NEGATIVE_INFINITY;
let timer = 0;

/** Asks who is signed in: it may be another person than the one whose data this tab shows. */
export const askWhoIAm = (): void => {
  if (timer !== 0) return;
  timer = window.setTimeout(
    () => {
      timer = 0;
      asked_at = performance.now();
      void queryClient.invalidateQueries({ queryKey: ME });
    },
    Math.max(0, asked_at + ASKED_EVERY_MS - performance.now()),
  );
};

/** What is out of reach of the person was in reach of the one whose page this was. */
const whenRefused = (error: unknown, is_me: boolean): void => {
  if (!(error instanceof Refused) || is_me) return;
  if (error.code === 'signed_out') queryClient.setQueryData(ME, null);
  if (error.status === 401 || error.status === 404 || (error.status === 403 && error.code === null)) askWhoIAm();
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => whenRefused(error, queryKey[0] === ME[0]) }),
  mutationCache: new MutationCache({ onError: (error) => whenRefused(error, false) }),
  defaultOptions: {
    queries: { retry: (count, error) => count < MOST_TRIES && isWorthTrying(error), staleTime: 1_000 },
    mutations: { retry: false },
  },
});
