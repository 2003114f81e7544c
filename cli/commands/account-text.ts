import type { AccountView } from '../../catalogue/answers.ts';
import { tableText, timeText } from '../table.ts';

export const accountsText = (accounts: readonly AccountView[]): string =>
  tableText(
    ['id', 'name', 'credits granted', 'unlimited', 'created'],
    accounts.map(({ id, name, unlimited_credits, granted_credits, created_at, erased_at }) => [
      id,
      erased_at === undefined ? name : '(erased)',
      granted_credits,
      unlimited_credits ? 'yes' : 'no',
      timeText(created_at),
    ]),
  );

export const accountText = (account: AccountView): string => accountsText([account]);
