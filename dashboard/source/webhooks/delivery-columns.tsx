import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { StateBadge } from '../shown/mark.tsx';
import type { Column } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

export type Delivery = Schemas['ListedDelivery'];

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
  { name: 'Event', cell: ({ event }) => event },
  { name: 'State', cell: ({ state }) => <StateBadge word={state} /> },
  { name: 'Attempts', cell: ({ attempt_count }) => attempt_count },
];
