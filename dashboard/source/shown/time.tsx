import { Text } from '@mantine/core';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' });
const utc = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** In the reader's time zone. The tooltip has the seconds, and the time in UTC. */
export const Time = ({ at }: { readonly at: number }) => {
  const date = new Date(at);
  return (
    <Text
      span
      inherit
      component="time"
      dateTime={date.toISOString()}
      title={`${exact.format(date)} · ${utc.format(date)} UTC`}
    >
      {local.format(date)}
    </Text>
  );
};
