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

/** The first look back from the end of a page, in ms. Each further one is {@link GROWTH} times as long. */
const FIRST_LOOK_MS = 3_600_000;
const GROWTH = 8;

/**
 * Up to `count` lines before a position, newest first, each with the balance after it. Looks back from the position in
 * periods that grow, so that a page of a large account reads few lines.
 *
 * @param now ms since the epoch
 */
export const newestStatementPage = async (
  read_model: CatalogueReadModel,
  records: RecordLog,
  account_id: string,
  { since, until }: Period,
  before: string | null,
  count: number,
  now: number,
): Promise<E.Either<CatalogueFault, readonly PlacedLine[]>> => {
  // Lines at the position's time may belong to this page, so that time is read again.
  const end = before === null ? (until ?? now + FIRST_LOOK_MS) : Number(before.slice(0, TIME_DIGITS)) + 1;
  for (let look_ms = FIRST_LOOK_MS; ; look_ms *= GROWTH) {
    const from = Math.max(since ?? 0, end - look_ms);
    const stated = await creditStatement(read_model, records, account_id, { since: from, until: end });
    if (E.isLeft(stated)) return stated;
    const lines: PlacedLine[] = [];
    for await (const line of stated.right.lines) {
      const position = listPosition(line.at, idOf(line));
      if (position === before) break;
      lines.push({ position, line });
    }
    if (lines.length >= count || from <= (since ?? 0)) return E.right(lines.slice(-count).toReversed());
  }
};
