import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Bowser from 'bowser';
import { api, unwrapAnswer } from '../api/client.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { EraseOwnUser } from './erase-oneself.tsx';
import { useMe } from './me.ts';

/** A session of `renderctl log in`, with the name of the machine. */
const RENDERCTL = /^renderctl\/\S+ \(([\w.-]+)\)$/;

const Browser = ({ user_agent }: { readonly user_agent: string | null }) => {
  if (user_agent === null || user_agent === '') return 'unknown';
  const { browser, os } = Bowser.parse(user_agent);
  const [, machine] = RENDERCTL.exec(user_agent) ?? [];
  const known =
    machine === undefined
      ? [browser.name, os.name].filter((one) => one !== undefined && one !== '')
      : ['renderctl', machine];
  return (
    <>
      {known.length > 0 && (
        <Text size="sm" fw={500} title={user_agent ?? undefined}>
          {known.join(' on ')}
        </Text>
      )}
      {known.length > 0 ? null : (
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {user_agent}
        </Text>
      )}
    </>
  );
};

export const SessionsPage = () => {
  const { user_id, name, email } = useMe();
  const { data, error, refetch } = useQuery({
    queryKey: ['sessions'],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/sessions')),
  });
  return (
    <Page
      title="Your sessions"
      about={`Browsers and programs where you are signed in${email === null && name === null ? '' : ` as ${name ?? email}`}. End sessions that you do not recognize.`}
    >
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) => (
          <DataTable
            label="Your sessions"
            rows={page.data}
            keyOf={({ id }) => id}
            columns={[
              { name: 'Browser', cell: ({ user_agent }) => <Browser user_agent={user_agent} /> },
              { name: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
              { name: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} /> },
              { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
              {
                name: 'Actions',
                cell: ({ id, is_current }) =>
                  is_current ? (
                    'This session'
                  ) : (
                    <ConfirmButton
                      label="End"
                      size="xs"
                      title="End this session?"
                      says="That browser is signed out."
                      act={() =>
                        unwrapAnswer(
                          api.POST('/manage/v1/sessions/{id}/revoke', { params: { path: { id } }, body: {} }),
                        )
                      }
                    />
                  ),
              },
            ]}
          />
        )}
      </LoadedData>
      {user_id === null ? null : <EraseOwnUser user_id={user_id} />}
    </Page>
  );
};
