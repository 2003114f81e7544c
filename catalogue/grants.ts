import * as E from 'fp-ts/lib/Either.js';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { CatalogueReadModel, GrantWithOffset } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import { type GrantAnswer, grantAnswer } from './answers.ts';
import type { CatalogueFault } from './fault.ts';

/** How many records are read from the log at once. */
const READ_AT_ONCE = 50;
const PARTITION = 0;

/** `granted_by`: the actor of the event, like `operator:on-call`; null where the log does not have it (any more). */
export type GrantWithAuthor = GrantAnswer & { readonly granted_by: string | null };

/** Who appended the grant that stands at an offset of the catalogue's log. */
const authorAt = async (records: RecordLog, offset: number): Promise<string | null> => {
  const [found] = await records.log.read([{ topic: 'catalogue-events', partition: PARTITION, offset }]);
  const decoded = found == null ? null : await records.decode(found.value);
  if (decoded?.tag !== 'record' || decoded.record.type !== 'CreditsGranted') return null;
  return decoded.record.meta.actor;
};

const withAuthor =
  (records: RecordLog) =>
  async ({ offset, ...grant }: GrantWithOffset): Promise<GrantWithAuthor> => ({
    ...grantAnswer(grant),
    granted_by: await authorAt(records, offset),
  });

/**
 * The grants of an account, oldest first. The log alone says who made a grant, and the read model where in the log that
 * is: so the author of every grant is known, however old it is.
 */
export const grantsWithAuthors = async (
  read_model: CatalogueReadModel,
  records: RecordLog,
  account_id: string,
): Promise<readonly GrantWithAuthor[]> => {
  const grants = (await read_model.grantsOf(account_id)).toSorted(
    (a, b) => a.created_at - b.created_at || a.offset - b.offset,
  );
  const listed: GrantWithAuthor[] = [];
  for (let next = 0; next < grants.length; next += READ_AT_ONCE)
    listed.push(...(await Promise.all(grants.slice(next, next + READ_AT_ONCE).map(withAuthor(records)))));
  return listed;
};

/** The same of an account that exists: an unknown one is a fault, not an empty list. */
export const listGrants = async (
  read_model: CatalogueReadModel,
  records: RecordLog,
  account_id: string,
): Promise<E.Either<CatalogueFault, readonly GrantWithAuthor[]>> => {
  const account = await accountById(read_model, account_id);
  return E.isLeft(account) ? account : E.right(await grantsWithAuthors(read_model, records, account_id));
};
