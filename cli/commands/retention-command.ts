import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { setAccountRetention } from '../../catalogue/account-retention.ts';
import type { RetentionView } from '../../catalogue/answers.ts';
import type { CatalogueWriter } from '../../catalogue/change.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import {
  MAX_DELIVERY_RETENTION_DAYS,
  MAX_RETENTION_DAYS,
  RETENTION_KINDS,
  type RetentionKind,
} from '../../domain/catalogue/retention.ts';
import type { CliFault } from '../fault.ts';
import { tableText, timeText } from '../table.ts';
import { parseWholeNumber } from './arguments.ts';
import { addCommand, type CommandContext, commandOutputOf, type JsonOption, runCommand } from './command.ts';

const WORDS: Readonly<Record<RetentionKind, string>> = {
  outputs: 'videos and posters',
  media: 'final compositions and media from URLs',
  deliveries: 'responses of webhook endpoints',
};
const DEFAULTS: Readonly<Record<RetentionKind, string>> = {
  outputs: 'permanently',
  media: 'RETENTION_SOURCES_DAYS: 30 days',
  deliveries: '7 days for successful deliveries, 30 days for failed ones',
};

export const retentionText = (retention: readonly RetentionView[]): string =>
  tableText(
    ['data', 'kept after a render ends', 'deleted up to (render end)'],
    retention.map(({ what, days, gone_until = 0 }) => [
      what,
      days === null ? `${DEFAULTS[what]} (default)` : `${days} days`,
      gone_until === 0 ? '' : timeText(gone_until),
    ]),
  );

const daysOrDefault =
  (most: number) =>
  (text: string): number | 'default' => {
    if (text === 'default') return text;
    const days = parseWholeNumber(text);
    if (days < 1 || days > most) throw new InvalidArgumentError(`It must be from 1 to ${most}, or "default".`);
    return days;
  };

type Wanted = Readonly<Partial<Record<RetentionKind, number | 'default'>>>;
type Answer = E.Either<CatalogueFault | CliFault, { readonly data: readonly RetentionView[] }>;

const setAll = async (catalogue: CatalogueWriter, account_id: string, wanted: Wanted): Promise<Answer> => {
  let answer: Answer = E.left({
    tag: 'usage',
    message: 'set at least one of --outputs DAYS, --media DAYS and --deliveries DAYS',
  });
  // Each period is a separate record. If one fails, a repeated command sets the remaining ones.
  for (const what of RETENTION_KINDS) {
    const days = wanted[what];
    if (days === undefined) continue;
    answer = await setAccountRetention(catalogue, { account_id, what, days: days === 'default' ? null : days });
    if (E.isLeft(answer)) return answer;
  }
  return answer;
};

export const retentionCommand = (accounts: Command, context: CommandContext): void => {
  const retain = addCommand(
    accounts,
    'retain',
    'set how long an account keeps files after a render ends; deleted files cannot be restored',
    ['account retain acc_01JD… --outputs 90', 'account retain acc_01JD… --outputs default --media 7 --deliveries 1'],
  ).addArgument(new Argument('<account>', 'the account'));
  for (const what of RETENTION_KINDS)
    retain.addOption(
      new Option(`--${what} <days>`, `${WORDS[what]}; "default" is ${DEFAULTS[what]}`).argParser(
        daysOrDefault(what === 'deliveries' ? MAX_DELIVERY_RETENTION_DAYS : MAX_RETENTION_DAYS),
      ),
    );
  retain.action((account_id: string, { json, ...wanted }: JsonOption & Wanted) =>
    runCommand(
      context,
      json,
      commandOutputOf(
        context.connection.catalogue((catalogue) => setAll(catalogue, account_id, wanted)),
        ({ data }) => retentionText(data),
      ),
    ),
  );
};
