import { Anchor, Button, Group, Paper, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { NewVideoButton } from '../new-video/new-video-button.tsx';
import { useTeam } from '../session/me.ts';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { NoMatch } from '../shown/no-match.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { Time } from '../shown/time.tsx';
import { ProjectStill } from './project-still.tsx';

const NewProjectButton = ({ team_id }: { readonly team_id: string }) => (
  <Button component={Link} href={`/teams/${team_id}/projects/new`} leftSection={<IconPlus size={16} aria-hidden />}>
    New project
  </Button>
);

export const ProjectsPage = ({ team_id }: { readonly team_id: string }) => {
  const team = useTeam(team_id);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const place = usePagePosition(JSON.stringify([team_id, search]));
  const { data, error, refetch } = useQuery({
    queryKey: ['projects', team_id, search, place.cursor],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects', {
          params: { path: { team_id }, query: { ...pageQuery(place.cursor), ...(search !== '' && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title="Projects"
      help="project"
      about={`Projects of ${team?.name ?? 'the team'}, newest first.`}
      actions={<NewProjectButton team_id={team_id} />}
    >
      <Group>
        <TextInput
          label="Search by name"
          placeholder="spring sale"
          value={typed}
          maxLength={200}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </Group>
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 && !page.has_more ? (
            search === '' ? (
              <EmptyList title="No projects yet">
                <Stack align="center">
                  <span>Begin with one of eight starters, or with files of your own.</span>
                  <NewProjectButton team_id={team_id} />
                </Stack>
              </EmptyList>
            ) : (
              <NoMatch what="projects" clear={() => setTyped('')} />
            )
          ) : (
            <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3 }} m={0} p={0} style={{ listStyle: 'none' }}>
              {page.data.map((project) => {
                const { id, name, version, created_at, updated_at } = project;
                return (
                  <Paper key={id} component="li" withBorder className="card">
                    <ProjectStill project={project} />
                    <Stack gap={2} p="sm">
                      <Anchor
                        component={Link}
                        href={`/teams/${team_id}/projects/${id}`}
                        fw={550}
                        style={{ overflowWrap: 'anywhere' }}
                      >
                        {name}
                      </Anchor>
                      <Text size="xs" c="dimmed" component="div">
                        Version {version} · <Time at={updated_at ?? created_at} />
                      </Text>
                      <NewVideoButton {...{ team_id, project_id: id }} of={name} size="xs" variant="default" />
                    </Stack>
                  </Paper>
                );
              })}
            </SimpleGrid>
          )
        }
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </Page>
  );
};
