import { Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { FreshSignInConfirmButton } from '../session/fresh-confirmed.tsx';
import { useHasRight } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { FailureNote } from './failure.tsx';
import { Player } from './player.tsx';
import { RenderAgain } from './render-again.tsx';
import { RenderDeliveries } from './render-deliveries.tsx';
import { RenderDetails, TechnicalDetails } from './render-details.tsx';
import { RenderState } from './render-state.tsx';
import { isFinal, REFETCH_MS } from './statuses.ts';
import { StatusTimeline } from './timeline.tsx';

const PERCENT = 100;

export const RenderPage = ({ team_id, render_id }: { readonly team_id: string; readonly render_id: string }) => {
  const path = { team_id, render_id };
  const refetch_ms = useRefetchInterval(REFETCH_MS);
  const { data, error, refetch } = useQuery({
    queryKey: ['render', render_id],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/renders/{render_id}', { params: { path } })),
    refetchInterval: ({ state }) => (state.data !== undefined && isFinal(state.data.status) ? false : refetch_ms),
  });
  const may_cancel = useHasRight(team_id, 'cancel_renders');
  const may_erase = useHasRight(team_id, 'erase_renders');
  const [, navigate] = useLocation();
  const client = useQueryClient();
  if (data === undefined)
    return (
      <Page title="Render">
        <LoadingState error={error} retry={refetch} />
      </Page>
    );
  const last = data.transitions.at(-1);
  const erase = () =>
    unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/renders/{render_id}/erase', { params: { path }, body: {} }));
  const afterErasing = () => {
    navigate(`/teams/${team_id}/renders`);
    void client.invalidateQueries();
  };
  const cancel = () =>
    unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/renders/{render_id}/cancel', { params: { path }, body: {} }));
  return (
    <Page
      title={data.name}
      about={<RenderState render={data} />}
      trail={[{ label: 'Renders', to: `/teams/${team_id}/renders` }]}
      actions={
        <>
          <RenderAgain {...path} project_id={data.project_id} />
          {may_cancel && !isFinal(data.status) ? (
            <ConfirmButton
              label="Cancel render"
              title="Cancel this render?"
              back="Keep rendering"
              says="No credits are charged. You cannot resume it."
              act={cancel}
            />
          ) : null}
          {may_erase && isFinal(data.status) ? (
            <FreshSignInConfirmButton
              name="erase"
              label="Erase render"
              title="Erase this render permanently?"
              says="This deletes its name, its values and its videos. The render disappears from all lists, and its links stop working. Its charge stays on the statement. You cannot undo this."
              act={erase}
              after={afterErasing}
            />
          ) : null}
        </>
      }
    >
      <ErrorMessage error={error} retry={refetch} />
      {last?.progress === undefined || last.status !== 'processing' ? null : (
        <Stack gap={4}>
          <Progress.Root size="lg">
            <Progress.Section value={last.progress * PERCENT} animated aria-label="Progress" />
          </Progress.Root>
          <Text size="sm">{Math.floor(last.progress * PERCENT)} % rendered</Text>
        </Stack>
      )}
      {last?.failure === undefined ? null : (
        <FailureNote team_id={team_id} project_id={data.project_id} failure={last.failure} />
      )}
      {data.status === 'complete' ? <Player {...path} /> : null}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Paper withBorder p="md">
          <Title order={2} size="h4" mb="md">
            Timeline
          </Title>
          <StatusTimeline render={data} />
        </Paper>
        <RenderDetails team_id={team_id} render={data} />
      </SimpleGrid>
      <Title order={2} size="h3">
        Webhook deliveries
      </Title>
      <RenderDeliveries {...path} />
      <TechnicalDetails team_id={team_id} render={data} />
    </Page>
  );
};
