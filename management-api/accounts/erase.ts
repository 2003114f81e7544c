import * as E from 'fp-ts/lib/Either.js';
import { eraseAccount } from '../../catalogue/erasures.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { decodeEraseAccountRequest } from '../../schemas/http/management/requests.ts';
import { type Commands, catalogueOf } from '../access/commands.ts';
import type { AccountHandler } from '../access/doors.ts';
import { decodedBody } from '../access/json-object.ts';
import { answered } from '../answers/catalogue-fault.ts';

const NOT_ITS_NAME: ApiError = {
  tag: 'invalid',
  message: 'name: must be the name of the account that is to be erased',
};

const NOT_ITS_ID: ApiError = {
  tag: 'invalid',
  message: 'account_id: must be the id of the account that is to be erased',
};

/** POST /manage/v1/accounts/{account_id}/erase: nothing brings it back. All that it has ends behind the answer. */
export const eraseOwnAccount =
  (parts: Commands): AccountHandler =>
  async (request, { person, account }) => {
    const body = await decodedBody(request, decodeEraseAccountRequest);
    if (E.isLeft(body)) return body;
    const { name, account_id } = body.right;
    if (name !== null && name.trim() !== account.name.trim()) return E.left(NOT_ITS_NAME);
    if (account_id !== null && account_id !== account.id) return E.left(NOT_ITS_ID);
    return answered(() => ({ id: account.id, erased: true }))(
      await eraseAccount(catalogueOf(parts, person), account.id),
    );
  };
