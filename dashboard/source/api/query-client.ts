import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { Refused } from './client.ts';

export const ME = ['me'] as const;

/** Refusals stay what they are; a service that is busy, or a network that fails, is asked again. */
const isWorthTrying = (error: unknown): boolean => !(error instanceof Refused) || error.status >= 500;

const MOST_TRIES = 3;

const whenSignedOut = (error: unknown): void => {
  if (error instanceof Refused && error.code === 'signed_out') queryClient.setQueryData(ME, null);
};

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: whenSignedOut }),
  mutationCache: new MutationCache({ onError: whenSignedOut }),
  defaultOptions: {
    queries: { retry: (count, error) => count < MOST_TRIES && isWorthTrying(error), staleTime: 1_000 },
    mutations: { retry: false },
  },
});
