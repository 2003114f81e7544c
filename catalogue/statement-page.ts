import * as E from 'fp-ts/lib/Either.js';
import type { StatementLine } from '../domain/credits/statement.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { listPosition } from '../read-models/position.ts';
import type { Period } from '../read-models/renders/charges.ts';
import type { CatalogueFault } from './fault.ts';
import { creditStatement } from './statement.ts';

type PlacedLine = { readonly position: string; readonly line: StatementLine };

const idOf = (line: StatementLine): string => (line.type === 'grant' ? line.grant_id : line.render_id);

const TIME_DIGITS = 13;

/**
 * Up to `count` lines after a position, oldest first, each with the balance after it. Only lines from the position's
 * time on are read; all earlier ones are read as one sum.
 */
export const statementPage = async (
  read_model: CatalogueReadModel,
  records: RecordLog,
  account_id: string,
  period: Period,
  after: string | null,
  count: number,
): Promise<E.Either<CatalogueFault, readonly PlacedLine[]>> => {
  const after_at = after === null ? null : Number(after.slice(0, TIME_DIGITS));
  const since = after_at ?? period.since;
  const stated = await creditStatement(read_model, records, account_id, { ...period, since });
  if (E.isLeft(stated)) return stated;
  const lines: PlacedLine[] = [];
  // Several lines may have the position's time. The lines up to and including the position were on an earlier page, so
  // they are skipped.
  let is_behind = after === null;
  for await (const line of stated.right.lines) {
    const position = listPosition(line.at, idOf(line));
    if (is_behind || line.at !== after_at) lines.push({ position, line });
    is_behind ||= position === after;
    if (lines.length >= count) break;
  }
  return E.right(lines);
};
