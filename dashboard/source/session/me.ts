import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api, Refused, type Schemas, taken } from '../api/client.ts';
import { ME, queryClient } from '../api/query-client.ts';

export type Me = Schemas['Me'];

/** Whose data this tab holds; undefined before it holds any. */
let held_for: string | null | undefined;

/** Somebody else may sign in in another tab: nothing of the one before is left for them. */
const holdFor = (user_id: string | null): void => {
  if (held_for !== undefined && held_for !== user_id)
    void queryClient.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== ME[0] });
  held_for = user_id;
};

/** Who is signed in; null where nobody is. */
export const useSignedIn = () =>
  useQuery({
    queryKey: ME,
    queryFn: async (): Promise<Me | null> => {
      try {
        const me = await taken(api.GET('/manage/v1/me'));
        holdFor(me.user_id);
        return me;
      } catch (error) {
        if (error instanceof Refused && error.status === 401) return null;
        throw error;
      }
    },
    refetchInterval: 60_000,
    // However lately it was asked: somebody else may have signed in since.
    refetchOnWindowFocus: 'always',
  });

const Signed = createContext<Me | null>(null);
export const MeProvider = Signed.Provider;

/** Only below the shell, where somebody is signed in. */
export const useMe = (): Me => {
  const me = useContext(Signed);
  if (me === null) throw new Error('nobody is signed in');
  return me;
};

/** The team as the person has it; null where they have no part in it. */
export const useTeam = (team_id: string): Me['teams'][number] | null =>
  useMe().teams.find(({ id }) => id === team_id) ?? null;

/** The account as the person has it; null likewise. */
export const useAccount = (account_id: string): Me['accounts'][number] | null =>
  useMe().accounts.find(({ id }) => id === account_id) ?? null;

export const useMay = (team_id: string, right: Me['teams'][number]['may'][number]): boolean =>
  useTeam(team_id)?.may.includes(right) ?? false;
