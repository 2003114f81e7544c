import { Anchor, Button, Group, Modal, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { ProjectStill } from '../projects/project-still.tsx';
import { useHasRight } from '../session/me.ts';
import { LoadingState } from '../shown/loaded.tsx';

/** The address of the form. @param from the render whose entries the form begins with */
export const newVideoPath = (
  team_id: string,
  project_id: string,
  query: { readonly template?: string; readonly from?: string } = {},
): string => {
  const text = new URLSearchParams(query).toString();
  return `/teams/${team_id}/projects/${project_id}/new-video${text === '' ? '' : `?${text}`}`;
};

/** @param of names the project or template, where a page has several buttons */
export const NewVideoButton = (props: {
  readonly team_id: string;
  readonly project_id: string;
  readonly template_id?: string;
  readonly of?: string;
  readonly size?: 'xs' | 'sm';
  readonly variant?: 'filled' | 'default';
}) => {
  const { team_id, project_id, template_id, of, size = 'sm', variant = 'filled' } = props;
  const may_request = useHasRight(team_id, 'request_renders');
  if (!may_request) return null;
  return (
    <Button
      component={Link}
      href={newVideoPath(team_id, project_id, template_id === undefined ? {} : { template: template_id })}
      size={size}
      variant={variant}
      w="fit-content"
      leftSection={<IconPlus size={16} aria-hidden />}
      {...(of !== undefined && { 'aria-label': `New video of ${of}` })}
    >
      New video
    </Button>
  );
};

const Projects = ({ team_id }: { readonly team_id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['projects', team_id, ''],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects', { params: { path: { team_id }, query: { limit: 100 } } }),
      ),
  });
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  return (
    <Stack>
      <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {data.data.map((project) => (
          <Group key={project.id} component="li" wrap="nowrap">
            <ProjectStill project={project} large={false} />
            <Anchor component={Link} href={newVideoPath(team_id, project.id)} style={{ overflowWrap: 'anywhere' }}>
              {project.name}
            </Anchor>
          </Group>
        ))}
      </Stack>
      <Button component={Link} href={`/teams/${team_id}/projects/new`} variant="default">
        {data.data.length === 0 ? 'Begin with a starter' : 'New project from a starter'}
      </Button>
    </Stack>
  );
};

/** Asks for the project first. @param project_id the project that the page shows; null for all */
export const NewVideoOfTeam = (props: { readonly team_id: string; readonly project_id: string | null }) => {
  const { team_id, project_id } = props;
  const [opened, setOpened] = useState(false);
  const may_request = useHasRight(team_id, 'request_renders');
  if (project_id !== null) return <NewVideoButton team_id={team_id} project_id={project_id} />;
  if (!may_request) return null;
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpened(true)}>
        New video
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Choose a project">
        <Projects team_id={team_id} />
      </Modal>
    </>
  );
};
