import { Anchor, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { AddPerson } from '../people/add-person.tsx';
import { usePeople } from '../people/people.ts';
import { Person } from '../people/person.tsx';
import { personText } from '../people/person-text.ts';
import { FreshSignInAction } from '../session/fresh.tsx';
import { FreshSignInConfirmButton } from '../session/fresh-confirmed.tsx';
import { useMe } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { CopyableId } from '../shown/copyable-id.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { wordsOf } from '../shown/first-upper.ts';
import { Folded } from '../shown/folded.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { RenameButton } from '../shown/rename-button.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { Invitations } from '../team/invitations.tsx';
import { Invite } from '../team/invite.tsx';
import { CreateTeam } from './create-team.tsx';
import { EraseAccount } from './erase-account.tsx';

type Of = { readonly account_id: string };

const ownersQuery = (account_id: string) =>
  queryOptions({
    queryKey: ['owners', account_id],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/accounts/{account_id}/owners', { params: { path: { account_id } } })),
  });

const Owners = ({ account_id, may_manage }: Of & { readonly may_manage: boolean }) => {
  const people = usePeople();
  const { data, error, refetch } = useQuery(ownersQuery(account_id));
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  const remove = (user_id: string) => () =>
    unwrapAnswer(
      api.POST('/manage/v1/accounts/{account_id}/owners/{user_id}/remove', {
        params: { path: { account_id, user_id } },
        body: {},
      }),
    );
  return (
    <DataTable
      label="Owners"
      rows={data.data}
      keyOf={({ user_id }) => user_id}
      columns={[
        { name: 'Owner', cell: ({ user_id }) => <Person user_id={user_id} with_email /> },
        { name: 'Since', cell: ({ owner_since }) => (owner_since === null ? '–' : <Time at={owner_since} />) },
        {
          name: 'Actions',
          cell: ({ user_id }) =>
            may_manage ? (
              <FreshSignInConfirmButton
                name={`remove-${user_id}`}
                label="Remove"
                size="xs"
                title={`Remove ${personText(people, user_id)} from the owners?`}
                says="They lose access to the account and all of its teams. The last owner stays."
                act={remove(user_id)}
              />
            ) : null,
        },
      ]}
    />
  );
};

const AddOwner = ({ account_id }: Of) => {
  const { data } = useQuery(ownersQuery(account_id));
  return (
    <FreshSignInAction name="add" label="Add an owner" variant="default">
      {({ opened, onClose }) => (
        <AddPerson
          {...{ opened, onClose }}
          title="Add an owner"
          present={(data?.data ?? []).map(({ user_id }) => user_id)}
          roles={false}
          add={(user_id) =>
            unwrapAnswer(
              api.POST('/manage/v1/accounts/{account_id}/owners/add', {
                params: { path: { account_id } },
                body: { user_id },
              }),
            )
          }
        />
      )}
    </FreshSignInAction>
  );
};

const Limits = ({ account_id }: Of) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['limits', account_id],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/accounts/{account_id}/limits', { params: { path: { account_id } } })),
  });
  if (data === undefined) return <ErrorMessage error={error} retry={refetch} />;
  return (
    <DataTable
      label="Limits"
      rows={data.data}
      keyOf={({ resource }) => resource}
      columns={[
        { name: 'Resource', cell: ({ resource }) => wordsOf(resource) },
        { name: 'Used', cell: ({ used }) => used.toLocaleString() },
        { name: 'Limit', cell: ({ most }) => most.toLocaleString() },
        {
          name: 'Usage',
          cell: ({ resource, used, most }) => (
            <Progress value={(100 * used) / Math.max(most, 1)} aria-label={`Usage of ${resource}`} miw={80} />
          ),
        },
      ]}
    />
  );
};

const NAMED_BY = {
  name: { text: 'Downloads are named after the render or project.', other: 'id', label: 'Name downloads by ID' },
  id: { text: 'Downloads are named by ID.', other: 'name', label: 'Name downloads by name' },
} as const;

const Downloads = ({ account_id, may_change }: Of & { readonly may_change: boolean }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['downloads', account_id],
    queryFn: () =>
      unwrapAnswer(api.GET('/manage/v1/accounts/{account_id}/downloads', { params: { path: { account_id } } })),
  });
  if (data === undefined) return <ErrorMessage error={error} retry={refetch} />;
  const { text, other, label } = NAMED_BY[data.named_by];
  return (
    <Group>
      <Text size="sm">{text}</Text>
      {may_change ? (
        <ConfirmButton
          label={label}
          size="xs"
          danger={false}
          title={`${label}?`}
          says={
            other === 'id'
              ? 'New links will not include names. Existing links keep their names. Links stay in access logs and browser histories, even after the data is erased.'
              : 'New links will include names. Links stay in access logs and browser histories, even after the data is erased.'
          }
          act={() =>
            unwrapAnswer(
              api.POST('/manage/v1/accounts/{account_id}/downloads', {
                params: { path: { account_id } },
                body: { named_by: other },
              }),
            )
          }
        />
      ) : null}
    </Group>
  );
};

const OpenInvitations = ({ account_id }: Of) => {
  const { teams } = useMe();
  const { data, error, refetch } = useQuery({
    queryKey: ['invitations', account_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/accounts/{account_id}/invitations', {
          params: { path: { account_id }, query: { limit: 100 } },
        }),
      ),
  });
  if (data === undefined) return <ErrorMessage error={error} retry={refetch} />;
  return (
    <Invitations
      invitations={data.data}
      teamName={(id) => teams.find((team) => team.id === id)?.name ?? id}
      revoke={(invitation_id) =>
        unwrapAnswer(
          api.POST('/manage/v1/accounts/{account_id}/invitations/{invitation_id}/revoke', {
            params: { path: { account_id, invitation_id } },
            body: {},
          }),
        )
      }
    />
  );
};

export const AccountPage = ({ account_id }: Of) => {
  const { accounts, teams } = useMe();
  const account = accounts.find(({ id }) => id === account_id);
  const own_teams = teams.filter((one) => one.account_id === account_id);
  const may_manage = account?.may.includes('manage_owners') ?? false;
  return (
    <Page
      title={account?.name ?? 'Account'}
      about="Owners, teams, limits and download settings of the account."
      actions={
        <>
          {account?.may.includes('rename') ? (
            <RenameButton
              what="account"
              name={account.name}
              rename={(name) =>
                unwrapAnswer(
                  api.POST('/manage/v1/accounts/{account_id}/rename', {
                    params: { path: { account_id } },
                    body: { name },
                  }),
                )
              }
            />
          ) : null}
          {may_manage ? (
            <>
              <AddOwner account_id={account_id} />
              <FreshSignInAction name="invite" label="Invite an owner">
                {(shown) => (
                  <Invite
                    roles={false}
                    invite={() =>
                      unwrapAnswer(
                        api.POST('/manage/v1/accounts/{account_id}/invitations', {
                          params: { path: { account_id } },
                          body: {},
                        }),
                      )
                    }
                    {...shown}
                  />
                )}
              </FreshSignInAction>
            </>
          ) : null}
        </>
      }
    >
      <Stack>
        <Title order={2} size="h3">
          Owners
        </Title>
        <Owners account_id={account_id} may_manage={may_manage} />
        <Group justify="space-between">
          <Title order={2} size="h3">
            Teams
          </Title>
          {account?.may.includes('make_teams') ? <CreateTeam account_id={account_id} /> : null}
        </Group>
        <DataTable
          label="Teams"
          rows={own_teams}
          keyOf={({ id }) => id}
          columns={[
            {
              name: 'Team',
              cell: ({ id, name }) => (
                <Anchor component={Link} href={`/teams/${id}/people`}>
                  {name}
                </Anchor>
              ),
            },
            { name: 'Your role', cell: ({ role }) => <span className="word">{role}</span> },
          ]}
        />
        <Title order={2} size="h3">
          Limits
        </Title>
        <Limits account_id={account_id} />
        <Title order={2} size="h3">
          Downloads
        </Title>
        <Downloads account_id={account_id} may_change={account?.may.includes('name_downloads') ?? false} />
        {may_manage ? <OpenInvitations account_id={account_id} /> : null}
        {account?.may.includes('erase') ? <EraseAccount account={account} /> : null}
        <Folded title="Technical details">
          <PropertyList
            facts={[
              ['Account', <CopyableId key="account" id={account_id} />],
              ...own_teams.map(({ id, name }) => [`Team ${name}`, <CopyableId key={id} id={id} />] as const),
            ]}
          />
        </Folded>
      </Stack>
    </Page>
  );
};
