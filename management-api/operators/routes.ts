import type { Account } from '../../domain/catalogue/entities.ts';
import { listPosition } from '../../read-models/position.ts';
import { accountResource } from '../../schemas/http/management/resources/team-resource.ts';
import type { Commands } from '../access/commands.ts';
import type { Doors, Route, SignedInHandler } from '../access/doors.ts';
import { pageOfAll, type WholeList } from '../lists/page-of-all.ts';

/** GET /manage/v1/operators/accounts: all of them, the newest first. */
const listAccounts =
  ({ read_model, readPage }: Commands): SignedInHandler =>
  async ({ query }) => {
    const list: WholeList<Account> = {
      ...{ endpoint: 'accounts', scope: '', status: null },
      all: read_model.accounts,
      positionOf: ({ created_at, id }) => listPosition(created_at, id),
    };
    return await pageOfAll(readPage, query, list, accountResource);
  };

export const operatorRoutes = (doors: Doors, parts: Commands): readonly Route[] => [
  doors.forOperator('GET', '/manage/v1/operators/accounts', listAccounts(parts)),
];
