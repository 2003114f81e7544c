import * as E from 'fp-ts/lib/Either.js';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { CatalogueReadModel, GrantWithOffset } from '../read-models/catalogue/management.ts';
import { accountById } from './accounts.ts';
import { type GrantView, grantView } from './answers.ts';
import type { CatalogueFault } from './fault.ts';

const READ_AT_ONCE = 50;
const PARTITION = 0;

/** `granted_by` is the actor of the event, such as `operator:on-call`; null if the log does not have the event. */
export type GrantWithAuthor = GrantView & { readonly granted_by: string | null };

const authorAt = async (records: RecordLog, offset: number): Promise<string | null> => {
  const [found] = await records.log.read([{ topic: 'catalogue-events', partition: PARTITION, offset }]);
  const decoded = found == null ? null : await records.decode(found.value);
  if (decoded?.tag !== 'record' || decoded.record.type !== 'CreditsGranted') return null;
  return decoded.record.meta.actor;
};

const withAuthor =
  (records: RecordLog) =>
  async ({ offset, ...grant }: GrantWithOffset): Promise<GrantWithAuthor> => ({
    ...grantView(grant),
    granted_by: await authorAt(records, offset),
  });

/**
 * Oldest first. Only the log has the author of a grant. The read model has the offset of the event, so the author of an
 * old grant is found too.
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

/** An unknown account is a fault, not an empty list. */
export const listGrants = async (
  read_model: CatalogueReadModel,
  records: RecordLog,
  account_id: string,
): Promise<E.Either<CatalogueFault, readonly GrantWithAuthor[]>> => {
  const account = await accountById(read_model, account_id);
  return E.isLeft(account) ? account : E.right(await grantsWithAuthors(read_model, records, account_id));
};
