import { Code, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { Author } from '../people/person.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

/** @param seq number of the last status change; when it changes, the records are read again */
export const LogEvents = (props: { readonly team_id: string; readonly render_id: string; readonly seq: number }) => {
  const { team_id, render_id, seq } = props;
  const { data, error, refetch } = useQuery({
    queryKey: ['events', render_id, seq],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/events', { params: { path: { team_id, render_id } } }),
      ),
  });
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  return (
    <>
      <DataTable
        label="Log records"
        rows={data.data}
        keyOf={({ event_id }) => event_id}
        columns={[
          { name: 'Time', cell: ({ at }) => <Time at={at} /> },
          { name: 'Record', cell: ({ type }) => type },
          {
            name: 'Result',
            cell: ({ verdict, reason, status }) =>
              verdict === 'ignored' ? `ignored: ${reason}` : status === null ? 'accepted' : `now ${status}`,
          },
          {
            name: 'Actor',
            cell: ({ actor }) => (actor === null ? 'An API key of the account' : <Author actor={actor} />),
          },
          {
            name: 'Position',
            cell: ({ topic, partition, offset }) => <Code>{`${topic}/${partition}/${offset}`}</Code>,
          },
        ]}
      />
      {data.ignored_count === 0 ? null : (
        <Text size="sm" c="dimmed">
          {data.ignored_count} records were ignored and had no effect.
        </Text>
      )}
    </>
  );
};
