import { Argument, InvalidArgumentError, Option } from 'commander';
import type { IdPrefix } from '../../catalogue/identity.ts';
import type { Role } from '../../domain/catalogue/events.ts';
import { isInvisible, nameFault } from '../../domain/shape/text-rules.ts';
import { EVENT_KINDS, type EventKind, isEventKind } from '../../domain/webhooks/event-kinds.ts';

/** The parsers of this file throw for invalid arguments, which ends the command with exit code 2. */

export const parseWholeNumber = (text: string): number => {
  const value = Number(text);
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return value;
};

const LONGEST_NAME = 250;

export const parseName = (text: string): string => {
  const length = [...text].length;
  if (length < 1 || length > LONGEST_NAME)
    throw new InvalidArgumentError(`It must have 1 to ${LONGEST_NAME} characters.`);
  if (!text.isWellFormed()) throw new InvalidArgumentError('It has an invalid Unicode character.');
  const fault = nameFault(text);
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`);
  if (isInvisible(text)) throw new InvalidArgumentError('It must have a visible character.');
  return text;
};

export const nameOption = (): Option =>
  new Option('--name <name>', `the name, 1 to ${LONGEST_NAME} characters; stored permanently and cannot be erased`)
    .argParser(parseName)
    .makeOptionMandatory();

export const nameArgument = (): Argument =>
  new Argument(
    '<name>',
    `the new name, 1 to ${LONGEST_NAME} characters; stored permanently and cannot be erased`,
  ).argParser(parseName);

/** With an id from the caller, a repeated command does not create a second entity. */
export const idOption = (prefix: IdPrefix): Option =>
  new Option('--id <id>', 'an id of your choice, so that you can repeat an interrupted command safely').argParser(
    (text) => {
      if (new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,64}$`).test(text)) return text;
      throw new InvalidArgumentError(`It must be "${prefix}_" and then 1 to 64 letters, digits, "-" or "_".`);
    },
  );

/** An option that was not given must be absent, not undefined. */
export const optionalId = (id: string | undefined): { readonly id?: string } => (id === undefined ? {} : { id });

export const ROLES: readonly Role[] = ['admin', 'member'];

export const parseEmail = (text: string): string => {
  if (!/^[^\s@\p{Cc}]{1,200}@[^\s@\p{Cc}]{1,200}$/u.test(text))
    throw new InvalidArgumentError('It must look like name@example.org.');
  return text;
};

export const parseFutureTime = (text: string): number => {
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new InvalidArgumentError('It must be a date like 2027-01-31 or 2027-01-31T12:00:00Z.');
  if (at <= Date.now()) throw new InvalidArgumentError('It must be in the future.');
  return at;
};

/**
 * A time in the future, or "never". The result is not null for "never", because commander turns null into an empty
 * text.
 */
export const parseFutureTimeOrNever = (text: string): number | 'never' =>
  text === 'never' ? text : parseFutureTime(text);

/** @param least 0 to allow the state before the first version, otherwise 1 */
export const versionParser =
  (least: 0 | 1) =>
  (text: string): number => {
    const value = parseWholeNumber(text);
    if (value < least) throw new InvalidArgumentError(`It must be ${least} or more.`);
    return value;
  };

export const countParser =
  (most: number) =>
  (text: string): number => {
    const count = parseWholeNumber(text);
    if (count < 1 || count > most) throw new InvalidArgumentError(`It must be from 1 to ${most}.`);
    return count;
  };

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_SPAN_MS = 90 * 86_400_000;

/** `90s`, `30m`, `24h`, `7d` or `0`, in ms. */
export const parseDuration = (text: string): number => {
  const [, digits = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const length_ms = text === '0' ? 0 : Number(digits) * (UNITS_MS[unit] ?? Number.NaN);
  if (Number.isNaN(length_ms)) throw new InvalidArgumentError('It must be a time like 90s, 30m, 24h or 7d, or 0.');
  if (length_ms > LONGEST_SPAN_MS) throw new InvalidArgumentError('It must be at most 90d.');
  return length_ms;
};

/** A date, or how long ago, in ms since the epoch. */
export const parseTimeOrAgo = (text: string): number => {
  const at = /^\d+[smhd]$/.test(text) ? Date.now() - parseDuration(text) : Date.parse(text);
  if (Number.isNaN(at))
    throw new InvalidArgumentError('It must be a time like 2026-11-21, 2026-11-21T12:00:00Z, 90s, 30m, 2h or 7d.');
  return at;
};

export const parsePastTime = (text: string): number => {
  const at = parseTimeOrAgo(text);
  if (at > Date.now()) throw new InvalidArgumentError('It must be in the past.');
  return at;
};

export const sinceOption = (): Option =>
  new Option(
    '--since <time>',
    'created at that time or later: a date like 2026-11-21, a time like 2026-11-21T12:00:00Z, or how long ago, like 2h',
  ).argParser(parsePastTime);

/** The position at which the next page begins, as the previous page printed it. */
export const parseAuditPosition = (text: string): string => {
  if (/^\d{13}[\w/-]{0,200}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be the position at the end of the previous page.');
};

export const collectValues = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

export const collectEvents = (text: string, before: readonly EventKind[] = []): readonly EventKind[] => {
  if (isEventKind(text)) return [...before, text];
  throw new InvalidArgumentError(`Allowed choices are ${EVENT_KINDS.join(', ')}.`);
};

/** An option for machines without ffprobe, and for media that were stored without inspection. */
export const noMediaCheckOption = (): Option =>
  new Option('--no-media-check', 'do not check media files; renders with a damaged file then fail');
