import * as E from 'fp-ts/lib/Either.js';
import { didYouMean } from '../near-name.ts';
import { isNumberText, NO_DATE } from './field-values.ts';
import { parseIsoDate } from './iso-date.ts';
import { LanguageTag } from './names.ts';
import type { FieldKind } from './templates.ts';
import type { TextFilter } from './text-pieces.ts';

/** The text of a value, or why the value does not fit. */
export type FormatValue = (value: string) => E.Either<string, string>;

type Filter = {
  /** For messages. */
  readonly form: string;
  /** The kinds of the fields whose values it takes. */
  readonly kinds: readonly FieldKind[];
  readonly max_args: number;
  /** The function, or what is wrong with the arguments. */
  readonly of: (args: readonly string[]) => E.Either<string, FormatValue>;
};

/** A host's own language must never decide. */
const DEFAULT_LOCALE = 'en';
const MAX_DIGITS = 10;
const DATE_STYLES = ['short', 'medium', 'long', 'full'] as const;

/** A tag of the right form can still be refused, for example because it has a part twice. */
const isKnownLocale = (locale: string): boolean => {
  if (!LanguageTag.is(locale)) return false;
  const supported = E.tryCatch(
    () => Intl.NumberFormat.supportedLocalesOf([locale]),
    () => null,
  );
  return E.isRight(supported) && supported.right.length > 0;
};

const withLocale = (
  locale: string | undefined,
  formatIn: (locale: string) => FormatValue,
): E.Either<string, FormatValue> =>
  locale === undefined || isKnownLocale(locale)
    ? E.right(formatIn(locale ?? DEFAULT_LOCALE))
    : E.left(`"${locale}" is not a known language; use one like de, en-GB or pt-BR`);

const formatNumber =
  (options: Intl.NumberFormatOptions) =>
  (locale: string): FormatValue => {
    const format = new Intl.NumberFormat(locale, { ...options, signDisplay: 'negative' });
    return (value) => (isNumberText(value) ? E.right(format.format(Number(value))) : E.left('must be a number'));
  };

const fractionDigits = (text: string): E.Either<string, Intl.NumberFormatOptions> =>
  /^\d{1,2}$/.test(text) && Number(text) <= MAX_DIGITS
    ? E.right({ minimumFractionDigits: Number(text), maximumFractionDigits: Number(text) })
    : E.left(`"${text}" is not a number of digits from 0 to ${MAX_DIGITS}`);

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

const isDateStyle = (text: string): text is (typeof DATE_STYLES)[number] => DATE_STYLES.some((style) => style === text);

const formatDate =
  (dateStyle: (typeof DATE_STYLES)[number]) =>
  (locale: string): FormatValue => {
    const format = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
    return (value) => {
      const time_ms = parseIsoDate(value);
      return time_ms === null ? E.left(NO_DATE) : E.right(format.format(time_ms));
    };
  };

const FILTERS: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  [
    'upper',
    {
      ...{ form: 'upper, or upper: tr', kinds: ['text', 'color', 'number'], max_args: 1 },
      of: ([locale]) => withLocale(locale, (known) => (value) => E.right(value.toLocaleUpperCase(known))),
    },
  ],
  [
    'lower',
    {
      ...{ form: 'lower, or lower: tr', kinds: ['text', 'color', 'number'], max_args: 1 },
      of: ([locale]) => withLocale(locale, (known) => (value) => E.right(value.toLocaleLowerCase(known))),
    },
  ],
  [
    'number',
    {
      ...{ form: 'number, number: 2 or number: 2, de', kinds: ['number', 'text'], max_args: 2 },
      of: ([digits, locale]) => {
        if (digits === undefined) return withLocale(locale, formatNumber({}));
        const fixed = fractionDigits(digits);
        return E.isLeft(fixed) ? fixed : withLocale(locale, formatNumber(fixed.right));
      },
    },
  ],
  [
    'currency',
    {
      ...{ form: 'currency: EUR, currency: EUR, de or currency: EUR, de, 0', kinds: ['number', 'text'], max_args: 3 },
      of: ([currency = '', locale, digits]) => {
        if (!currencies.has(currency)) return E.left(`"${currency}" is not a currency; use its code, like EUR or USD`);
        const fixed = digits === undefined ? E.right({}) : fractionDigits(digits);
        if (E.isLeft(fixed)) return fixed;
        return withLocale(locale, formatNumber({ style: 'currency', currency, ...fixed.right }));
      },
    },
  ],
  [
    'date',
    {
      ...{ form: 'date: long or date: long, de', kinds: ['date', 'text'], max_args: 2 },
      of: ([style = 'medium', locale]) =>
        isDateStyle(style)
          ? withLocale(locale, formatDate(style))
          : E.left(`"${style}" is not one of ${DATE_STYLES.join(', ')}`),
    },
  ],
]);

export const FILTER_NAMES: readonly string[] = [...FILTERS.keys()];

type Made = E.Either<string, FormatValue>;

/** The constructors of Intl take 0.1 ms and more, and the renders of a batch have the same filters. */
const MAX_CACHED = 256;
const cached = new Map<string, Made>();

const makeFormat = (name: string, { of, form }: Filter, args: readonly string[]): Made => {
  const key = [name, ...args].join();
  const before = cached.get(key);
  if (before !== undefined) return before;
  const made = E.mapLeft((message: string) => `${message}, as in ${form}`)(of(args));
  if (cached.size >= MAX_CACHED) cached.clear();
  cached.set(key, made);
  return made;
};

const AS_IT_IS: FormatValue = (value) => E.right(value);

/**
 * The text of a placeholder for a value of the field, with all filters in their order.
 *
 * @param kind of the field; undefined skips its check
 */
export const formatOf = (
  filters: readonly TextFilter[],
  kind: FieldKind | undefined,
): E.Either<string, FormatValue> => {
  let format = AS_IT_IS;
  for (const [index, { name, args }] of filters.entries()) {
    const filter = FILTERS.get(name);
    if (filter === undefined)
      return E.left(
        `there is no filter "${name}"${didYouMean(name, FILTER_NAMES) || `; use ${FILTER_NAMES.join(', ')}`}`,
      );
    // The next filters get a text.
    if (index === 0 && kind !== undefined && !filter.kinds.includes(kind))
      return E.left(`the filter ${name} is for fields of kind ${filter.kinds.join(' or ')}, not ${kind}`);
    if (args.length > filter.max_args) return E.left(`the filter ${name} is written as ${filter.form}`);
    const made = makeFormat(name, filter, args);
    if (E.isLeft(made)) return made;
    const before = format;
    format = (value) => E.chain(made.right)(before(value));
  }
  return E.right(format);
};
