import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { setAccountRetention } from '../../catalogue/account-retention.ts';
import type { RetentionAnswer } from '../../catalogue/answers.ts';
import type { Catalogue } from '../../catalogue/change.ts';
import type { CatalogueFault } from '../../catalogue/fault.ts';
import type { Retained } from '../../domain/catalogue/events.ts';
import { LONGEST_RETENTION_DAYS, RETAINED } from '../../domain/catalogue/retention.ts';
import type { CliFault } from '../fault.ts';
import { tableText, timeText } from '../table.ts';
import { wholeNumber } from './arguments.ts';
import { addCommand, answeredAs, answerTo, type CommandContext, type JsonOption } from './command.ts';

const WORDS: Readonly<Record<Retained, string>> = {
  outputs: 'videos and posters',
  media: 'final compositions, and media fetched from URLs',
};
const DEFAULTS: Readonly<Record<Retained, string>> = {
  outputs: 'for ever',
  media: 'as RETENTION_SOURCES_DAYS says: 30 days',
};

export const retentionText = (retention: readonly RetentionAnswer[]): string =>
  tableText(
    ['kept after a render ends', 'for', 'gone of renders that ended until'],
    retention.map(({ what, days, gone_until = 0 }) => [
      what,
      days === null ? `${DEFAULTS[what]} (default)` : `${days} days`,
      gone_until === 0 ? '' : timeText(gone_until),
    ]),
  );

/** (Not null: commander makes that an empty text.) */
const daysOrDefault = (text: string): number | 'default' => {
  if (text === 'default') return text;
  const days = wholeNumber(text);
  if (days < 1 || days > LONGEST_RETENTION_DAYS)
    throw new InvalidArgumentError(`It must be from 1 to ${LONGEST_RETENTION_DAYS}, or "default".`);
  return days;
};

type Wanted = Readonly<Partial<Record<Retained, number | 'default'>>>;
type Answer = E.Either<CatalogueFault | CliFault, { readonly data: readonly RetentionAnswer[] }>;

const setAll = async (catalogue: Catalogue, account_id: string, wanted: Wanted): Promise<Answer> => {
  let answer: Answer = E.left({ tag: 'usage', message: 'give --outputs DAYS, --media DAYS, or both' });
  // Each is a record of its own: what was set before one that fails is set, and the same command goes on.
  for (const what of RETAINED) {
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
    'set how long an account keeps what its renders have, after their end; what is gone does not come back',
    ['account retain acc_01JD… --outputs 90', 'account retain acc_01JD… --outputs default --media 7'],
  ).addArgument(new Argument('<account>', 'the account'));
  for (const what of RETAINED)
    retain.addOption(
      new Option(`--${what} <days>`, `${WORDS[what]}; "default" is ${DEFAULTS[what]}`).argParser(daysOrDefault),
    );
  retain.action((account_id: string, { json, ...wanted }: JsonOption & Wanted) =>
    answerTo(
      context,
      json,
      answeredAs(
        context.connection.catalogue((catalogue) => setAll(catalogue, account_id, wanted)),
        ({ data }) => retentionText(data),
      ),
    ),
  );
};
