import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiRefusal } from './client.ts';
import { ME_QUERY_KEY } from './me-query-key.ts';

/** A refusal is permanent. A busy service or a network fault is worth a retry. */
const isWorthTrying = (error: unknown): boolean => !(error instanceof ApiRefusal) || error.status >= 500;

const MAX_TRIES = 3;

/** The minimum interval between two reads of the session, also on a page that stays open and keeps failing. */
const ASKED_EVERY_MS = 2_000;
let asked_at = Number.NEGATIVE_INFINITY;
let timer = 0;

/** Reads again who is signed in, because it may no longer be the owner of this tab's data. */
export const refetchSession = (): void => {
  if (timer !== 0) return;
  timer = window.setTimeout(
    () => {
      timer = 0;
      asked_at = performance.now();
      void queryClient.invalidateQueries({ queryKey: ME_QUERY_KEY });
    },
    Math.max(0, asked_at + ASKED_EVERY_MS - performance.now()),
  );
};

/** A refusal may mean that another person has signed in since the page was loaded. */
const whenRefused = (error: unknown, is_me: boolean): void => {
  if (!(error instanceof ApiRefusal) || is_me) return;
  if (error.code === 'signed_out') queryClient.setQueryData(ME_QUERY_KEY, null);
  if (error.status === 401 || error.status === 404 || (error.status === 403 && error.code !== 'fresh_sign_in_needed'))
    refetchSession();
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => whenRefused(error, queryKey[0] === ME_QUERY_KEY[0]) }),
  mutationCache: new MutationCache({ onError: (error) => whenRefused(error, false) }),
  defaultOptions: {
    queries: { retry: (count, error) => count < MAX_TRIES && isWorthTrying(error), staleTime: 1_000 },
    // Offline, a change fails at once. It must not wait and happen later, when the person no longer expects it.
    mutations: { retry: false, networkMode: 'always' },
  },
});
