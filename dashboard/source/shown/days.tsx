import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'wouter';

const DAYS = [7, 30, 90] as const;
export type Days = (typeof DAYS)[number];

const DEFAULT: Days = 30;

/** The period of the charts, kept in the address of the page. */
export const useDays = (): { readonly days: Days; readonly choose: (days: Days) => void } => {
  const [query, setQuery] = useSearchParams();
  return {
    days: DAYS.find((one) => String(one) === query.get('days')) ?? DEFAULT,
    choose: (days) =>
      setQuery(
        (before) => {
          const after = new URLSearchParams(before);
          if (days === DEFAULT) after.delete('days');
          else after.set('days', String(days));
          return after;
        },
        { replace: true },
      ),
  };
};

export const DaysChoice = ({ days, choose }: ReturnType<typeof useDays>) => (
  <SegmentedControl
    size="xs"
    aria-label="Period of the charts"
    data={DAYS.map((one) => ({ value: String(one), label: `${one} days` }))}
    value={String(days)}
    onChange={(value) => choose(DAYS.find((one) => String(one) === value) ?? DEFAULT)}
  />
);
