import { Anchor, Group, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { FilmCards } from '../renders/film-cards.tsx';
import { ErrorMessage } from '../shown/fault.tsx';

const COUNT = 6;
const EVERY_MS = 10_000;

export const LatestFilms = ({ team_id }: { readonly team_id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['renders', team_id, 'latest'],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders', {
          params: { path: { team_id }, query: { status: 'complete', limit: COUNT } },
        }),
      ),
    refetchInterval: useRefetchInterval(EVERY_MS),
  });
  if (data === undefined) return <ErrorMessage error={error} retry={refetch} />;
  if (data.data.length === 0) return null;
  return (
    <section aria-label="Latest videos">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4">
          Latest videos
        </Title>
        <Anchor component={Link} href={`/teams/${team_id}/renders`} size="sm" inherit={false}>
          All renders
        </Anchor>
      </Group>
      <FilmCards team_id={team_id} renders={data.data} />
    </section>
  );
};
