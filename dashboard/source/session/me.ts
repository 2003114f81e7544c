import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { ApiRefusal, api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { ME_QUERY_KEY } from '../api/me-query-key.ts';
import { assignTabTo, clearTabData } from './person.ts';

/** `person` is the id of the user, or of the session if it has no user. */
export type Me = Schemas['Me'] & { readonly person: string };

const seeMe = async (): Promise<Me> => {
  const me = await unwrapAnswer(api.GET('/manage/v1/me'));
  const person = me.user_id ?? (await unwrapAnswer(api.GET('/manage/v1/session'))).id;
  assignTabTo(person);
  return { ...me, person };
};

export const useSignedIn = () =>
  useQuery({
    queryKey: ME_QUERY_KEY,
    queryFn: async (): Promise<Me | null> => {
      try {
        return await seeMe();
      } catch (error) {
        if (!(error instanceof ApiRefusal && error.status === 401)) throw error;
        clearTabData();
        return null;
      }
    },
    refetchInterval: 60_000,
    // Another person may have signed in, even if the data is recent.
    refetchOnWindowFocus: 'always',
  });

const Signed = createContext<Me | null>(null);
export const MeProvider = Signed.Provider;

/** Only for components below the shell, which requires a sign-in. */
export const useMe = (): Me => {
  const me = useContext(Signed);
  if (me === null) throw new Error('no person is signed in');
  return me;
};

export const useTeam = (team_id: string): Me['teams'][number] | null =>
  useMe().teams.find(({ id }) => id === team_id) ?? null;

export const useAccount = (account_id: string): Me['accounts'][number] | null =>
  useMe().accounts.find(({ id }) => id === account_id) ?? null;

export const useHasRight = (team_id: string, right: Me['teams'][number]['may'][number]): boolean =>
  useTeam(team_id)?.may.includes(right) ?? false;
