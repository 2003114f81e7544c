import * as E from 'fp-ts/lib/Either.js';
import { commandReply } from '../../catalogue/api-errors/catalogue-error.ts';
import { eraseAccount } from '../../catalogue/erasures.ts';
import { EraseAccountRequest } from '../../schemas/http/management/teams.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { confirmationFault } from '../access/confirmation.ts';
import { decodeBody } from '../access/json-object.ts';
import type { AccountHandler } from '../access/route-guards.ts';

/** POST /manage/v1/accounts/{account_id}/erase: irreversible. Teams, keys and files are removed after the answer. */
export const eraseOwnAccount =
  (parts: RouteDependencies): AccountHandler =>
  async (request, { person, account }) => {
    const body = await decodeBody(request, EraseAccountRequest);
    if (E.isLeft(body)) return body;
    const given = { name: body.right.name, id: body.right.account_id };
    const fault = confirmationFault({ kind: 'account', id: account.id, name: account.name }, given);
    if (fault !== null) return E.left(fault);
    return commandReply(() => ({ id: account.id, erased: true }))(
      await eraseAccount(catalogueWriterFor(parts, person), account.id),
    );
  };
