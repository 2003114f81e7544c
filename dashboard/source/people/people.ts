import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';

/** Both are null for a person about whom only the ID is known. */
export type Profile = { readonly name: string | null; readonly email: string | null };

/** By user ID. */
export type People = ReadonlyMap<string, Profile>;

const EMPTY: People = new Map();

/** The people of an account whom the reader can see. Empty until they are loaded. */
export const useAccountPeople = (account_id: string | null): People => {
  const { data } = useQuery({
    queryKey: ['people', account_id],
    queryFn: async (): Promise<People> => {
      const { data: people } = await unwrapAnswer(
        api.GET('/manage/v1/accounts/{account_id}/people', {
          params: { path: { account_id: account_id ?? '' } },
        }),
      );
      return new Map(people.map(({ user_id, name, email }) => [user_id, { name, email }]));
    },
    enabled: account_id !== null,
    // Pages show IDs without it, so a failure needs no message.
    staleTime: 60_000,
  });
  return data ?? EMPTY;
};

const Shown = createContext<People>(EMPTY);
export const PeopleProvider = Shown.Provider;

/** The people of the account that the shell shows. */
export const usePeople = (): People => useContext(Shown);
