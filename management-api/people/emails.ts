import pLimit from 'p-limit';
import type { User } from '../../domain/catalogue/entities.ts';
import { withTimeout } from '../../platform/process/within.ts';
import type { ReadEmail } from '../../read-models/catalogue/emails.ts';
import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';

/** The addresses of users; users without one are missing. */
export type EmailsOf = (user_ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const READ_AT_ONCE = 16;
/** Pages show an ID if the address does not come in time. */
const WITHIN_MS = 2_000;

/** An address that the blob store does not serve is missing, because a page is useful without it. */
export const openEmailsOf = (read_model: Pick<CatalogueReadModel, 'entities'>, readEmail: ReadEmail): EmailsOf => {
  const emailOf = ({ email }: User): Promise<string | null> =>
    withTimeout(
      WITHIN_MS,
      readEmail(email).catch(() => null),
      () => null,
    );
  return async (user_ids) => {
    const users = await read_model.entities('user', [...new Set(user_ids)]);
    const one = pLimit(READ_AT_ONCE);
    const found = await Promise.all(users.map(async (user) => [user.id, await one(() => emailOf(user))] as const));
    return new Map(found.flatMap(([id, email]) => (email === null ? [] : [[id, email]])));
  };
};
