import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { creditsQuery, creditsText } from '../account/credits-query.ts';
import { useTeam } from '../session/me.ts';

/** Null if the credits are unlimited, or not known yet. */
export const useBalance = (team_id: string): number | null => {
  const account_id = useTeam(team_id)?.account_id ?? '';
  const { data } = useQuery(creditsQuery(account_id));
  return data?.balance ?? null;
};

/** @param price null until it is known, or while a value has a fault */
export const Price = ({ team_id, price }: { readonly team_id: string; readonly price: number | null }) => {
  const balance = useBalance(team_id);
  return (
    <div>
      <Text size="sm">Uses the project's current version.{price === null ? '' : ` Costs ${creditsText(price)}.`}</Text>
      {balance === null ? null : (
        <Text size="sm" c={price !== null && price > balance ? 'var(--danger-text)' : 'dimmed'}>
          {price !== null && price > balance
            ? `Not enough credits: ${creditsText(Math.max(balance, 0))} left. Ask an owner for more.`
            : `Balance: ${creditsText(balance)}`}
        </Text>
      )}
    </div>
  );
};
