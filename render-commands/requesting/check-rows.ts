import * as E from 'fp-ts/lib/Either.js';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { FairTurns } from '../../platform/http-server/fair-turns.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type CheckBatch, checkOfRow, decodeCheckBatch } from '../../schemas/http/management/check-batches.ts';
import { type CheckRequest, checkResource, decodeCheckRequest } from '../../schemas/http/public/project-check.ts';
import { type CheckedDocument, checkDocument, faultOf } from './check-document.ts';
import { withFaults } from './check-project.ts';
import { type DocumentDependencies, type DocumentReader, storedDocument } from './find-document.ts';
import { findUploadValues, lengthsOf, uploadsOfValues } from './upload-values.ts';

export type RowCheckDependencies = DocumentDependencies & {
  /** Requests, counted for each account over all its sessions. */
  readonly check_batches: RateLimits;
  /** By account. A row of a large document takes some milliseconds, in which the process does nothing else. */
  readonly check_turns: Pick<FairTurns<string>, 'add'>;
  readonly clock: Pick<Clock, 'monotonic'>;
};

/** A request starts no further row after this time. */
const MAX_MS = 1_000;
/** A request starts no further row after it has found more uploads than this. */
const MAX_UPLOADS = 200;

/** `wanted` is null if the values cannot be read. */
type CheckedRow = { readonly wanted: CheckRequest | null; readonly checked: CheckedDocument };

const checkRow = (document: ProjectDocument, batch: CheckBatch, row: CheckBatch['rows'][number]): CheckedRow => {
  const wanted = decodeCheckRequest(checkOfRow(batch, row));
  return E.isLeft(wanted)
    ? { wanted: null, checked: { faults: [faultOf(wanted.left.message)], warnings: [], film: null } }
    : { wanted: wanted.right, checked: checkDocument(document, wanted.right) };
};

const inTurn = <A>(
  { check_turns }: Pick<RowCheckDependencies, 'check_turns'>,
  account_id: string,
  work: () => A,
): Promise<Awaited<A>> => new Promise((resolve) => check_turns.add(account_id, () => resolve(Promise.try(work))));

/** Checks the first rows: at least one. */
const checkInTime = async (
  parts: RowCheckDependencies,
  account_id: string,
  document: ProjectDocument,
  batch: CheckBatch,
): Promise<{ readonly rows: readonly CheckedRow[]; readonly uploads: ReadonlySet<string> }> => {
  const until = parts.clock.monotonic() + MAX_MS;
  const rows: CheckedRow[] = [];
  const uploads = new Set<string>();
  for (const row of batch.rows) {
    if (rows.length > 0 && (uploads.size > MAX_UPLOADS || parts.clock.monotonic() >= until)) break;
    const checked = await inTurn(parts, account_id, () => checkRow(document, batch, row));
    rows.push(checked);
    if (checked.wanted !== null) for (const { url } of uploadsOfValues(document, checked.wanted)) uploads.add(url);
  }
  return { rows, uploads };
};

/** The body of the answer to a check of several rows. Each row has the faults that it has alone. Changes nothing. */
export const checkRows = async (
  parts: RowCheckDependencies,
  checker: DocumentReader,
  body: unknown,
): Promise<E.Either<ApiError, object>> => {
  const { account_id, writer } = checker;
  const too_many = await accountRateFault(parts.check_batches, account_id, 'checks of rows');
  if (too_many !== null) return E.left(too_many);
  const batch = decodeCheckBatch(body);
  if (E.isLeft(batch)) return E.left(invalidInput(batch.left));
  const stored = await storedDocument(parts, checker, batch.right.project_id);
  if (E.isLeft(stored)) return stored;
  const { document } = stored.right;
  const { rows, uploads } = await checkInTime(parts, account_id, document, batch.right);
  const found = await writer.findUploads([...uploads], writer.team_ids);
  const data = rows.map(async ({ wanted, checked }) => {
    if (wanted === null) return { ...checkResource(checked), layers: null };
    const of_row = await findUploadValues(async () => found, writer.team_ids, document, wanted);
    const lengths = lengthsOf(of_row);
    const depends = checked.film?.is_longest === true && lengths.size > 0;
    const whole = depends ? await inTurn(parts, account_id, () => checkDocument(document, wanted, lengths)) : checked;
    // A hundred rows with the times of all layers would be large.
    return { ...checkResource(withFaults(whole, of_row.faults)), layers: null };
  });
  return E.right({ data: await Promise.all(data) });
};
