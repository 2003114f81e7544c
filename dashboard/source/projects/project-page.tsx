import { Anchor, Code, Title } from '@mantine/core';
import { Link } from 'wouter';
import { Page } from '../shown/page.tsx';
import { Templates } from './templates.tsx';

/** What can be rendered of a project, and where its renders are. */
export const ProjectPage = ({ team_id, project_id }: { readonly team_id: string; readonly project_id: string }) => (
  <Page
    title="Project"
    about={<Code>{project_id}</Code>}
    actions={
      <Anchor component={Link} href={`/teams/${team_id}/renders?project=${project_id}`}>
        Its renders
      </Anchor>
    }
  >
    <Title order={2} size="h3">
      Templates
    </Title>
    <Templates team_id={team_id} project_id={project_id} />
  </Page>
);
