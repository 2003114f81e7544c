import { Anchor, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconCircleCheckFilled, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { newVideoPath } from '../new-video/new-video-button.tsx';
import { useHasRight, useMe } from '../session/me.ts';
import { endpointsQuery } from '../webhooks/endpoints-query.ts';

type Step = { readonly text: string; readonly says: string; readonly to: string; readonly is_done: boolean };

const StepLine = ({ text, says, to, is_done }: Step) => (
  <Group component="li" wrap="nowrap" align="flex-start" gap="sm">
    {is_done ? (
      <IconCircleCheckFilled size={20} color="var(--mantine-color-green-7)" role="img" aria-label="Done" />
    ) : (
      <IconCircleDashed size={20} role="img" aria-label="To do" />
    )}
    <Stack gap={0} miw={0}>
      {is_done ? (
        <Text size="sm" c="dimmed" td="line-through">
          {text}
        </Text>
      ) : (
        <Anchor component={Link} href={to} size="sm" inherit={false} fw={550} w="fit-content">
          {text}
        </Anchor>
      )}
      <Text size="xs" c="dimmed">
        {says}
      </Text>
    </Stack>
  </Group>
);

const useSteps = (team_id: string): readonly Step[] | null => {
  const path = { team_id };
  const may_add = useHasRight(team_id, 'manage_members');
  const may_notify = useHasRight(team_id, 'manage_endpoints');
  const { data: projects } = useQuery({
    queryKey: ['projects', team_id, 'newest'],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/projects', { params: { path, query: { limit: 1 } } })),
  });
  const { data: renders } = useQuery({
    queryKey: ['renders', team_id, 'newest'],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/renders', { params: { path, query: { limit: 1 } } })),
  });
  const { data: members } = useQuery({
    queryKey: ['members', team_id, 'first'],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/members', { params: { path, query: { limit: 2 } } })),
  });
  const { data: endpoints } = useQuery(endpointsQuery(team_id));
  if (projects === undefined || renders === undefined || members === undefined || endpoints === undefined) return null;
  const [project] = projects.data;
  const new_project = `/teams/${team_id}/projects/new`;
  return [
    {
      text: 'Create a project',
      says: 'From a starter, or as a copy of another project.',
      to: new_project,
      is_done: project !== undefined,
    },
    {
      text: 'Make a video',
      says: 'Fill in a form, see the still, and render.',
      to: project === undefined ? new_project : newVideoPath(team_id, project.id),
      is_done: renders.data.length > 0,
    },
    ...(may_add
      ? [
          {
            text: 'Add a member',
            says: 'Members see everything, render and cancel.',
            to: `/teams/${team_id}/people`,
            is_done: members.data.length > 1,
          },
        ]
      : []),
    ...(may_notify
      ? [
          {
            text: 'Add a webhook endpoint',
            says: 'Your own server learns when a video is ready.',
            to: `/teams/${team_id}/webhooks`,
            is_done: endpoints.data.length > 0,
          },
        ]
      : []),
  ];
};

/** The first steps of a new team. The list disappears when all are done, or when the person hides it. */
export const NextSteps = ({ team_id }: { readonly team_id: string }) => {
  const { person } = useMe();
  const [is_hidden, setHidden] = useLocalStorage({
    key: `next-steps-hidden ${person} ${team_id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const steps = useSteps(team_id);
  if (is_hidden || steps === null || steps.every(({ is_done }) => is_done)) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label="Next steps">
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} size="h4">
          Next steps
        </Title>
        <Button size="compact-xs" variant="default" onClick={() => setHidden(true)} aria-label="Hide the next steps">
          Hide
        </Button>
      </Group>
      <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map((step) => (
          <StepLine key={step.text} {...step} />
        ))}
      </Stack>
    </Paper>
  );
};
