import { Code, Group, Stack, Switch, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { Person } from '../people/person.tsx';
import { FreshSignInAction } from '../session/fresh.tsx';
import { useHasRight, useMe } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { CreateKey } from './make-key.tsx';
import { RotateKey } from './rotate-key.tsx';

type ApiKey = Schemas['ApiKey'];

/** Teams to which the person does not belong are only counted. */
const scope = ({ team_ids, other_teams }: ApiKey, nameOf: (team_id: string) => string): string =>
  [...team_ids.map(nameOf), ...(other_teams > 0 ? [`${other_teams} more`] : [])].join(', ');

/** Tells a rotated key from its successor, which has the same name. */
const startAndEnd = ({ prefix, last4 }: Pick<ApiKey, 'prefix' | 'last4'>): string => `${prefix}…${last4}`;

const lastUse = ({ last_used_at }: ApiKey) => (last_used_at === null ? 'Never' : <Time at={last_used_at} />);

const Breaks = ({ api_key }: { readonly api_key: ApiKey }) => (
  <Stack gap="xs">
    <Text size="sm">Requests with “{api_key.name}” fail with status 401 within two seconds. You cannot undo this.</Text>
    <Text size="sm">Last used: {lastUse(api_key)}.</Text>
  </Stack>
);

export const KeysPage = ({ team_id }: { readonly team_id: string }) => {
  const { teams, user_id } = useMe();
  const may_manage = useHasRight(team_id, 'manage_keys');
  const [all, setAll] = useState(false);
  const state = all ? 'all' : 'active';
  const place = usePagePosition(`${team_id} ${state}`);
  const { data, error, refetch } = useQuery({
    queryKey: ['keys', team_id, state, place.cursor],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/keys', {
          params: { path: { team_id }, query: { ...pageQuery(place.cursor), state } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const nameOf = (id: string): string => teams.find((one) => one.id === id)?.name ?? id;
  const revoke = (key_id: string) => () =>
    unwrapAnswer(
      api.POST('/manage/v1/teams/{team_id}/keys/{key_id}/revoke', { params: { path: { team_id, key_id } }, body: {} }),
    );
  const actions = (api_key: ApiKey) => {
    const own = api_key.user_id !== null && api_key.user_id === user_id;
    if (api_key.state !== 'active' || !(may_manage || own)) return null;
    const may_rotate = may_manage && api_key.replaced_by === null && (api_key.user_id === null || own);
    return (
      <Group gap="xs" wrap="nowrap">
        {may_rotate ? (
          <FreshSignInAction name={`rotate-${api_key.id}`} label="Rotate" variant="default" size="xs">
            {(shown) => <RotateKey team_id={team_id} api_key={api_key} {...shown} />}
          </FreshSignInAction>
        ) : null}
        <ConfirmButton
          label="Revoke"
          size="xs"
          title={`Revoke “${api_key.name}” (${startAndEnd(api_key)})?`}
          says={<Breaks api_key={api_key} />}
          act={revoke(api_key.id)}
        />
      </Group>
    );
  };
  return (
    <Page
      title="API keys"
      help="key"
      about="Programs call the API with these keys. Admins create, rotate and revoke them."
      actions={
        may_manage ? (
          <FreshSignInAction name="make" label="Create a key">
            {(shown) => <CreateKey team_id={team_id} {...shown} />}
          </FreshSignInAction>
        ) : null
      }
    >
      <Switch
        label="Show revoked and expired keys"
        checked={all}
        onChange={({ currentTarget }) => setAll(currentTarget.checked)}
      />
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 && !page.has_more ? (
            <EmptyList title="No API keys yet">
              {may_manage
                ? 'Create one to call the API. It is shown once, with a command to try it.'
                : 'Ask an admin of the team to create one.'}
            </EmptyList>
          ) : (
            <DataTable
              label="API keys"
              rows={page.data}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: 'Name',
                  cell: ({ name, prefix, last4 }) => (
                    <Stack gap={2}>
                      <Text size="sm" fw={500} style={{ overflowWrap: 'anywhere' }}>
                        {name}
                      </Text>
                      <Code w="fit-content">{startAndEnd({ prefix, last4 })}</Code>
                    </Stack>
                  ),
                },
                {
                  name: 'State',
                  cell: ({ state: word, replaced_by }) => (
                    <StateBadge word={word === 'active' && replaced_by !== null ? 'replaced' : word} />
                  ),
                },
                {
                  name: 'Owner',
                  cell: ({ user_id: owner }) => (owner === null ? 'The team' : <Person user_id={owner} />),
                },
                { name: 'Teams', cell: (api_key) => scope(api_key, nameOf) },
                { name: 'Scopes', cell: ({ scopes }) => (scopes.length === 0 ? 'None' : scopes.join(', ')) },
                { name: 'Last used', cell: lastUse },
                {
                  name: 'Expires',
                  cell: ({ expires_at }) => (expires_at === null ? 'Never' : <Time at={expires_at} />),
                },
                { name: 'Actions', cell: actions },
              ]}
            />
          )
        }
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
    </Page>
  );
};
