import { quantile } from '../figures.ts';

/** A row of the table that `bench/main.ts` prints. */
export type Row = { readonly label: string; readonly figure: string };

/** `/s` is a rate, where more is better. A time is in milliseconds, where less is better. */
export type Quantity = { readonly amount: number; readonly unit: '/s' | 'ms' };

/** `ratio` is the speed of this code divided by the speed of the base: more than 1 is faster. */
export type Compared = { readonly label: string; readonly base: number; readonly ours: number; readonly ratio: number };

const cellsOf = (line: string): readonly string[] =>
  line
    .split('│')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** Where a version stores names. Without it, a figure compares with the same figure of another version. */
const STORAGE = /, (its name in Blob|names in Blob|sealed)(?=,|$)/;

/** Rows of the table in the output of a bench. A label that occurs again gets a number. */
export const rowsIn = (output: string): readonly Row[] => {
  const counts = new Map<string, number>();
  return output.split('\n').flatMap((line) => {
    const [cell = '', figure = ''] = line.startsWith('│') ? cellsOf(line) : [];
    const label = cell.replace(STORAGE, '');
    if (label === '' || label === 'measured') return [];
    const count = (counts.get(label) ?? 0) + 1;
    counts.set(label, count);
    return [{ label: count === 1 ? label : `${label} (${count})`, figure }];
  });
};

const QUANTITY = /(\d[\d,]*(?:\.\d+)?) ?(\/s|ms\b|s\b)/;

/** The first rate or time of a figure; null if it has none. */
export const firstQuantity = (figure: string): Quantity | null => {
  const [, digits = '', unit] = QUANTITY.exec(figure) ?? [];
  const amount = Number(digits.replaceAll(',', ''));
  if (unit === undefined || !(amount > 0)) return null;
  return unit === '/s' ? { amount, unit } : { amount: unit === 's' ? amount * 1_000 : amount, unit: 'ms' };
};

const quantitiesOf = (rows: readonly Row[], label: string): readonly Quantity[] =>
  rows
    .filter((row) => row.label === label)
    .map(({ figure }) => firstQuantity(figure))
    .filter((quantity) => quantity !== null);

const medianOf = (quantities: readonly Quantity[]): number =>
  quantile(
    quantities.map(({ amount }) => amount),
    0.5,
  );

/** Compares the medians of each label that both runs have. */
export const compare = (base: readonly Row[], ours: readonly Row[]): readonly Compared[] =>
  [...new Set(ours.map(({ label }) => label))].flatMap((label) => {
    const [before, after] = [quantitiesOf(base, label), quantitiesOf(ours, label)];
    const unit = before[0]?.unit;
    if (unit === undefined || after[0]?.unit !== unit) return [];
    const [b, o] = [medianOf(before), medianOf(after)];
    return [{ label, base: b, ours: o, ratio: unit === '/s' ? o / b : b / o }];
  });

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

/** A main figure of the service: the geometric mean of the rows whose labels match. */
export type Gate = { readonly name: string; readonly labels: RegExp };

export const GATES: readonly Gate[] = [
  { name: 'POST, command API', labels: /^POST \/v1\/renders, command API$/ },
  { name: 'POST, gateway', labels: /^POST \/v1\/renders, through the gateway$/ },
  { name: 'POST with values', labels: /^POST with values/ },
  { name: 'append to read model', labels: /^append to read model/ },
  { name: 'pages of lists', labels: /^\d+ renders, (?!requested and folded)/ },
  { name: 'webhooks, transition to receipt', labels: /^from transition to receipt$/ },
  { name: 'one film, without its encoder', labels: /^the rest, p50 and p95$/ },
];

export const MIN_RATIO = 0.9;

/** `ratio` is null if one side has no such figure, which fails the gate too. */
export type Verdict = { readonly name: string; readonly ratio: number | null; readonly passed: boolean };

export const judge = (all: readonly Compared[]): readonly Verdict[] =>
  GATES.map(({ name, labels }) => {
    const ratios = all.flatMap(({ label, ratio }) => (labels.test(label) ? [ratio] : []));
    if (ratios.length === 0) return { name, ratio: null, passed: false };
    const ratio = geometricMean(ratios);
    return { name, ratio, passed: ratio >= MIN_RATIO };
  });
