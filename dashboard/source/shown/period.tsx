import { TextInput } from '@mantine/core';

/** Days as date inputs have them, `2026-11-25`; empty if not chosen. */
export type Period = { readonly from: string; readonly to: string };

export const NO_PERIOD: Period = { from: '', to: '' };

const startOf = (day: string, later = 0): number => {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).getTime();
};

/** Swedish dates have the form of date inputs. */
const input_form = new Intl.DateTimeFormat('sv-SE');

/** The day of a time, in the reader's time zone. */
export const dayOf = (at: number): string => input_form.format(at);

/** In the reader's time zone; both days are included. */
export const periodQuery = ({ from, to }: Period) => ({
  ...(from !== '' && { since: startOf(from) }),
  ...(to !== '' && { until: startOf(to, 1) }),
});

export const PeriodChoice = (props: { readonly period: Period; readonly choose: (period: Period) => void }) => {
  const { period, choose } = props;
  return (
    <>
      <TextInput
        type="date"
        label="From"
        value={period.from}
        max={period.to}
        onChange={({ currentTarget: { value } }) => choose({ ...period, from: value })}
      />
      <TextInput
        type="date"
        label="To"
        value={period.to}
        min={period.from}
        onChange={({ currentTarget: { value } }) => choose({ ...period, to: value })}
      />
    </>
  );
};
