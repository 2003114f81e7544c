import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { AddPerson } from '../people/add-person.tsx';
import { usePeople } from '../people/people.ts';
import { Person } from '../people/person.tsx';
import { personText } from '../people/person-text.ts';
import { FreshSignInAction } from '../session/fresh.tsx';
import { FreshSignInConfirmButton } from '../session/fresh-confirmed.tsx';
import { useHasRight, useMe, useTeam } from '../session/me.ts';
import { EmptyList } from '../shown/empty.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { Pager, pageQuery, usePagePosition } from '../shown/pages.tsx';
import { RenameButton } from '../shown/rename-button.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';
import { Invitations } from './invitations.tsx';
import { Invite } from './invite.tsx';

type Member = Schemas['TeamMember'];

const OpenInvitations = ({ team_id }: { readonly team_id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['invitations', team_id],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/invitations', { params: { path: { team_id }, query: { limit: 100 } } }),
      ),
  });
  if (data === undefined) return <ErrorMessage error={error} retry={refetch} />;
  return (
    <Invitations
      invitations={data.data}
      revoke={(invitation_id) =>
        unwrapAnswer(
          api.POST('/manage/v1/teams/{team_id}/invitations/{invitation_id}/revoke', {
            params: { path: { team_id, invitation_id } },
            body: {},
          }),
        )
      }
    />
  );
};

const InvitePerson = ({ team_id }: { readonly team_id: string }) => {
  const invite = (role: Schemas['Role']) =>
    unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/invitations', { params: { path: { team_id } }, body: { role } }));
  return (
    <FreshSignInAction name="invite" label="Invite a person">
      {(shown) => <Invite roles invite={invite} {...shown} />}
    </FreshSignInAction>
  );
};

const AddMember = ({ team_id, present }: { readonly team_id: string; readonly present: readonly string[] }) => (
  <FreshSignInAction name="add" label="Add a member" variant="default">
    {({ opened, onClose }) => (
      <AddPerson
        {...{ opened, onClose, present }}
        title="Add a member"
        roles
        add={(user_id, role) =>
          unwrapAnswer(
            api.POST('/manage/v1/teams/{team_id}/members/add', {
              params: { path: { team_id } },
              body: { user_id, role },
            }),
          )
        }
      />
    )}
  </FreshSignInAction>
);

const LeaveTeam = ({ team_id, name }: { readonly team_id: string; readonly name: string }) => (
  <FreshSignInConfirmButton
    name="leave"
    label="Leave"
    size="xs"
    title={`Leave ${name}?`}
    says="You lose access to the team, and your personal keys for it stop working. The last admin cannot leave."
    act={() => unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/leave', { params: { path: { team_id } }, body: {} }))}
  />
);

type Of = { readonly team_id: string; readonly team_name: string } & Pick<Member, 'user_id' | 'role'>;

const ManageMember = ({ team_id, team_name, user_id, role }: Of) => {
  const name = personText(usePeople(), user_id);
  const params = { path: { team_id, user_id } };
  const other = role === 'admin' ? 'member' : 'admin';
  return (
    <Group gap="xs" wrap="nowrap">
      <FreshSignInConfirmButton
        name={`role-${user_id}`}
        label={`Make ${other}`}
        size="xs"
        danger={false}
        title={`Make ${name} ${other === 'admin' ? 'an admin' : 'a member'}?`}
        says={
          other === 'admin'
            ? 'Admins manage the people, keys and webhooks of the team.'
            : 'They can still see, render and cancel.'
        }
        act={() =>
          unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/members/{user_id}/role', { params, body: { role: other } }))
        }
      />
      <FreshSignInConfirmButton
        name={`remove-${user_id}`}
        label="Remove"
        size="xs"
        title={`Remove ${name} from ${team_name}?`}
        says="They lose access to the team, and their personal keys for it stop working."
        act={() => unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/members/{user_id}/remove', { params, body: {} }))}
      />
    </Group>
  );
};

export const TeamPage = ({ team_id }: { readonly team_id: string }) => {
  const team = useTeam(team_id);
  const { user_id: own } = useMe();
  const may_manage = useHasRight(team_id, 'manage_members');
  const place = usePagePosition(team_id);
  const { data, error, refetch } = useQuery({
    queryKey: ['members', team_id, place.cursor],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/members', {
          params: { path: { team_id }, query: pageQuery(place.cursor) },
        }),
      ),
  });
  const change = ({ user_id, role }: Member) => {
    const team_name = team?.name ?? 'this team';
    if (user_id === own) return <LeaveTeam team_id={team_id} name={team_name} />;
    return may_manage ? <ManageMember {...{ team_id, team_name, user_id, role }} /> : null;
  };
  return (
    <Page
      title="People"
      about={`Members of ${team?.name ?? 'the team'} and their roles. Your role: ${team?.role ?? 'none'}.`}
      actions={
        <>
          {team?.may.includes('rename') ? (
            <RenameButton
              what="team"
              name={team.name}
              rename={(name) =>
                unwrapAnswer(
                  api.POST('/manage/v1/teams/{team_id}/rename', { params: { path: { team_id } }, body: { name } }),
                )
              }
            />
          ) : null}
          {may_manage ? (
            <>
              <AddMember team_id={team_id} present={(data?.data ?? []).map(({ user_id }) => user_id)} />
              <InvitePerson team_id={team_id} />
            </>
          ) : null}
        </>
      }
    >
      <LoadedData data={data} error={error} retry={refetch}>
        {(page) =>
          page.data.length === 0 ? (
            <EmptyList title="No members yet">The owners of the account manage this team. Invite a person.</EmptyList>
          ) : (
            <DataTable
              label="Members"
              rows={page.data}
              keyOf={({ user_id }) => user_id}
              columns={[
                { name: 'Person', cell: ({ user_id }) => <Person user_id={user_id} with_email /> },
                { name: 'Role', cell: ({ role }) => <span className="word">{role}</span> },
                { name: 'Joined', cell: ({ joined_at }) => <Time at={joined_at} /> },
                { name: 'Actions', cell: change },
              ]}
            />
          )
        }
      </LoadedData>
      <Pager place={place} next={data?.next_cursor ?? null} />
      {may_manage ? <OpenInvitations team_id={team_id} /> : null}
    </Page>
  );
};
