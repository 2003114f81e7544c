import { Text } from '@mantine/core';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const utc = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', timeZone: 'UTC' });
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** In the reader's time zone, with UTC next to it. UTC includes the date if that differs. */
export const Time = ({ at }: { readonly at: number }) => {
  const date = new Date(at);
  const same_day = date.getDate() === date.getUTCDate();
  return (
    <time dateTime={date.toISOString()}>
      {local.format(date)}{' '}
      {date.getTimezoneOffset() === 0 ? (
        'UTC'
      ) : (
        <Text span size="xs" c="dimmed">
          {(same_day ? utc : utcDay).format(date)} UTC
        </Text>
      )}
    </time>
  );
};

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;

/** At most two units. */
export const duration = (ms: number): string => {
  if (ms < S) return `${Math.round(ms)} ms`;
  if (ms < 10 * S) return `${(ms / S).toFixed(1)} s`;
  if (ms < MIN) return `${Math.round(ms / S)} s`;
  if (ms < H) return `${Math.floor(ms / MIN)} min ${Math.round((ms % MIN) / S)} s`;
  if (ms < 48 * H) return `${Math.floor(ms / H)} h ${Math.round((ms % H) / MIN)} min`;
  return `${Math.round(ms / (24 * H))} days`;
};
