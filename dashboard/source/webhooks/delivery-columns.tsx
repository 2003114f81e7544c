import { Anchor, Group } from '@mantine/core';
import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { StateBadge } from '../shown/mark.tsx';
import type { Column } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

export type Delivery = Schemas['ListedDelivery'];

/** A test is about a render that does not exist. */
export const isTest = ({ seq }: Pick<Delivery, 'seq'>): boolean => seq === 0;

/** All attempts of an exhausted delivery failed. */
export const deliveryWord = ({ state }: Pick<Delivery, 'state'>): string => (state === 'exhausted' ? 'failed' : state);

/** The first columns of every table of deliveries. */
export const deliveryColumns = (team_id: string): readonly Column<Delivery>[] => [
  {
    name: 'Created',
    cell: ({ id, planned_at }) => (
      <Anchor component={Link} href={`/teams/${team_id}/deliveries/${id}`}>
        <Time at={planned_at} />
      </Anchor>
    ),
  },
  {
    name: 'Event',
    cell: ({ event, seq }) => (
      <Group gap={6}>
        {event}
        {isTest({ seq }) ? <StateBadge word="test" /> : null}
      </Group>
    ),
  },
  { name: 'State', cell: (delivery) => <StateBadge word={deliveryWord(delivery)} /> },
  { name: 'Attempts', cell: ({ attempt_count }) => attempt_count },
];
