import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { Person } from '../people/person.tsx';
import { DataTable, type Selection } from '../shown/rows.tsx';
import { ThumbnailImage } from '../shown/still.tsx';
import { Time } from '../shown/time.tsx';
import { RenderStateWithReason } from './render-state.tsx';

type Listed = Schemas['ListedRender'];

const Name = ({ team_id, render }: { readonly team_id: string; readonly render: Listed }) => (
  <Stack gap={2}>
    <Anchor component={Link} href={`/teams/${team_id}/renders/${render.id}`} style={{ overflowWrap: 'anywhere' }}>
      {render.name}
    </Anchor>
    {render.project_name === null ? null : (
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {render.project_name}
      </Text>
    )}
  </Stack>
);

const State = ({ render }: { readonly render: Listed }) => (
  <Stack gap={2} align="flex-start">
    <RenderStateWithReason render={render} />
  </Stack>
);

export const RendersTable = (props: {
  readonly team_id: string;
  readonly renders: readonly Listed[];
  readonly selection: Selection;
}) => (
  <DataTable
    label="Renders"
    rows={props.renders}
    keyOf={({ id }) => id}
    nameOf={({ name }) => name}
    selection={props.selection}
    columns={[
      { name: 'Preview', cell: ({ poster_url }) => <ThumbnailImage url={poster_url} /> },
      { name: 'Name', cell: (render) => <Name team_id={props.team_id} render={render} /> },
      { name: 'Status', cell: (render) => <State render={render} /> },
      { name: 'By', cell: ({ created_by }) => (created_by === null ? 'Service key' : <Person user_id={created_by} />) },
      { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
    ]}
  />
);
