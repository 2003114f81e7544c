import { Stack, Title } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { Author } from '../people/person.tsx';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { EmptyList } from '../shown/empty.tsx';
import { DataTable } from '../shown/rows.tsx';
import { Time } from '../shown/time.tsx';

type Invitation = Schemas['Invitation'];

export const Invitations = (props: {
  readonly invitations: readonly Invitation[];
  /** The name of a team; given if the list has invitations to several. */
  readonly teamName?: (team_id: string) => string;
  readonly revoke: (invitation_id: string) => Promise<unknown>;
}) => {
  const { teamName } = props;
  return (
    <Stack>
      <Title order={2} size="h3">
        Open invitations
      </Title>
      {props.invitations.length === 0 ? (
        <EmptyList title="No open invitations">An invitation is a link that works once, within 7 days.</EmptyList>
      ) : (
        <DataTable
          label="Open invitations"
          rows={props.invitations}
          keyOf={({ id }) => id}
          columns={[
            ...(teamName === undefined
              ? []
              : [
                  { name: 'To', cell: ({ team_id }: Invitation) => (team_id === null ? 'Account' : teamName(team_id)) },
                ]),
            { name: 'Role', cell: ({ role }) => <span className="word">{role}</span> },
            { name: 'Invited by', cell: ({ invited_by }) => <Author actor={invited_by} /> },
            { name: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
            { name: 'Expires', cell: ({ expires_at }) => <Time at={expires_at} /> },
            {
              name: 'Actions',
              cell: ({ id }) => (
                <ConfirmButton
                  label="Revoke"
                  size="xs"
                  title="Revoke this invitation?"
                  says="The link stops working."
                  act={() => props.revoke(id)}
                />
              ),
            },
          ]}
        />
      )}
    </Stack>
  );
};
