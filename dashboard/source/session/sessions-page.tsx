import { useQuery } from '@tanstack/react-query';
import { api, taken } from '../api/client.ts';
import { Confirmed } from '../shown/confirmed.tsx';
import { Loaded } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { Rows } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

export const SessionsPage = () => {
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: () => taken(api.GET('/manage/v1/sessions')),
  });
  return (
    <Page title="Your sessions" about="Every browser in which you are signed in. End those that you do not know.">
      <Loaded data={data} error={error} retry={refetch}>
        {(page) => (
          <Rows
            label="Your sessions"
            rows={page.data}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Browser', cell: ({ user_agent }) => user_agent ?? 'unknown' },
              { name: 'Begun', cell: ({ created_at }) => <Time at={created_at} /> },
              { name: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
              { name: 'Ends', cell: ({ expires_at }) => <Time at={expires_at} /> },
              {
                name: 'Change',
                cell: ({ id, is_current }) =>
                  is_current ? (
                    'this one'
                  ) : (
                    <Confirmed
                      label="End it"
                      size="xs"
                      title="End this session?"
                      says="That browser has to sign in again, within a second."
                      act={() =>
                        taken(api.POST('/manage/v1/sessions/{id}/revoke', { params: { path: { id } }, body: {} }))
                      }
                    />
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Page>
  );
};
