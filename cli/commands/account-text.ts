import type { AccountAnswer } from '../../catalogue/answers.ts';
import { tableText, timeText } from '../table.ts';

export const accountsText = (accounts: readonly AccountAnswer[]): string =>
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

export const accountText = (account: AccountAnswer): string => accountsText([account]);
