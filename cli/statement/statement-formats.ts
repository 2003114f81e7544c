import { csvText } from '../../catalogue/csv-text.ts';
import type { CreditStatement } from '../../catalogue/statement.ts';
import { type StatementLine, signedAmount } from '../../domain/credits/statement.ts';
import { actorText } from '../../domain/event/meta.ts';
import { cellText, timeText } from '../table.ts';

export type StatementFormat = {
  readonly head: (statement: CreditStatement) => string;
  readonly page: (lines: readonly StatementLine[], is_first: boolean) => string;
  readonly foot: (statement: CreditStatement) => string;
};

const grantedBy = (granted_by: string | null): string => (granted_by === null ? 'unknown' : actorText(granted_by));

const signed = (amount: number): string => (amount > 0 ? `+${amount}` : String(amount));

const TIME_WIDTH = '2026-11-21T13:14:15.123Z'.length;
const CREDITS_WIDTH = 12;

const row = (at: string, amount: string, balance: number | string, entry: string): string =>
  `${at.padEnd(TIME_WIDTH)}${amount.padStart(CREDITS_WIDTH)}${String(balance).padStart(CREDITS_WIDTH)}  ${entry}\n`;

const entryText = (line: StatementLine): string =>
  line.type === 'grant'
    ? `${line.grant_id}, granted by ${grantedBy(line.granted_by)}`
    : `${line.render_id} ${line.render_name === null ? '(erased)' : cellText(line.render_name)}`;

/** Columns have fixed widths, so that a line can be written before the next one is known. */
export const TABLE_FORMAT: StatementFormat = {
  head: ({ period: { since }, opening_balance }) =>
    row('at', 'credits', 'balance', 'entry') +
    (since === null ? '' : row(timeText(since), '', opening_balance, 'opening balance')),
  page: (lines) =>
    lines.map((line) => row(timeText(line.at), signed(signedAmount(line)), line.balance, entryText(line))).join(''),
  foot: ({ totals }) => {
    const { granted_credits, charged_credits, balance } = totals();
    return row('', '', balance, `closing balance: ${granted_credits} granted, ${charged_credits} charged`);
  },
};

const COLUMNS = [
  'at',
  'type',
  'credits',
  'balance',
  'grant_id',
  'granted_by',
  'render_id',
  'render_name',
  'project_id',
];

const csvRow = (line: StatementLine): Readonly<Record<string, string | number>> => {
  const common = { at: timeText(line.at), credits: signedAmount(line), balance: line.balance };
  return line.type === 'grant'
    ? { ...line, ...common, granted_by: line.granted_by ?? 'unknown' }
    : { ...line, ...common, render_name: line.render_name ?? '' };
};

/** Grants are positive and charges negative, so the sum of the column is the balance. */
export const CSV_FORMAT: StatementFormat = {
  head: ({ period: { since }, opening_balance: balance }) =>
    csvText(
      COLUMNS,
      since === null ? [] : [{ at: timeText(since), type: 'opening_balance', credits: balance, balance }],
      true,
    ),
  page: (lines) => csvText(COLUMNS, lines.map(csvRow), false),
  foot: () => '',
};

/** One JSON document with one line per entry. */
export const JSON_FORMAT: StatementFormat = {
  head: ({ account: { id, name }, period, opening_balance }) => {
    const members = JSON.stringify({ account: { id, name }, ...period, opening_balance });
    return `${members.slice(0, -1)},"data":[`;
  },
  page: (lines, is_first) => `${is_first ? '' : ','}\n${lines.map((line) => JSON.stringify(line)).join(',\n')}`,
  foot: ({ totals }) => {
    const { balance: closing_balance, ...sums } = totals();
    return `\n],${JSON.stringify({ ...sums, closing_balance }).slice(1)}\n`;
  },
};
