import { Anchor, Paper, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { Person } from '../people/person.tsx';
import { projectQuery } from '../projects/project-query.ts';
import { templatesQuery } from '../projects/templates-query.ts';
import { CopyableId } from '../shown/copyable-id.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { Folded } from '../shown/folded.tsx';
import { Time } from '../shown/time.tsx';
import { LogEvents } from './log-events.tsx';
import { isFinal } from './statuses.ts';

type Render = Schemas['RenderWithTransitions'];
type Of = { readonly team_id: string; readonly render: Render };

export const RenderDetails = ({ team_id, render }: Of) => {
  const { project_id, created_by, status, charged_credits, reserved_credits } = render;
  // IDs are shown until the names are loaded, and if the project was erased.
  const { data: project } = useQuery({ ...projectQuery(team_id, project_id), retry: false });
  const { data: templates } = useQuery({
    ...templatesQuery(team_id, project_id),
    enabled: render.template_id !== null,
    retry: false,
  });
  const template = templates?.data.find(({ id }) => id === render.template_id);
  const credits = isFinal(status)
    ? `${charged_credits.toLocaleString()} charged`
    : `${reserved_credits.toLocaleString()} reserved`;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <PropertyList
        facts={[
          [
            'Project',
            <Anchor key="project" component={Link} href={`/teams/${team_id}/projects/${project_id}`}>
              {project?.name ?? project_id}
            </Anchor>,
          ],
          ['Version', render.project_version],
          ['Template', template?.name ?? render.template_id ?? 'None'],
          ['Created', <Time key="created" at={render.created_at} />],
          ['Created by', created_by === null ? 'Service key' : <Person key="by" user_id={created_by} />],
          ['Credits', credits],
        ]}
      />
    </Paper>
  );
};

export const TechnicalDetails = ({ team_id, render }: Of) => (
  <Folded title="Technical details">
    <Stack>
      <PropertyList
        facts={[
          ['Render', <CopyableId key="id" id={render.id} />],
          ['Project', <CopyableId key="project" id={render.project_id} />],
          ['Attempts', render.attempts.map(({ n, worker_id }) => `${n} on ${worker_id}`).join(', ') || 'None'],
          ['Type', render.type],
        ]}
      />
      <Title order={2} size="h4">
        Log records
      </Title>
      <LogEvents team_id={team_id} render_id={render.id} seq={render.transitions.at(-1)?.seq ?? 0} />
    </Stack>
  </Folded>
);
