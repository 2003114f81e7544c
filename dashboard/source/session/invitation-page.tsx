import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { EmptyList } from '../shown/empty.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadedData } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { Time } from '../shown/time.tsx';
import { invitationText } from './invitation-text.ts';
import { clearInvitationToken, savedInvitationToken } from './invitation-token.ts';

export const InvitationPage = () => {
  const client = useQueryClient();
  const [, go] = useLocation();
  const [token] = useState(savedInvitationToken);
  const {
    data,
    error: unread,
    refetch,
  } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => unwrapAnswer(api.POST('/manage/v1/invitations/read', { body: { token: token ?? '' } })),
    enabled: token !== null,
  });
  const { mutate, error, isPending } = useMutation({
    mutationFn: (text: string) => unwrapAnswer(api.POST('/manage/v1/invitations/accept', { body: { token: text } })),
    onSuccess: async ({ team_id, account_id }) => {
      // Accepting starts a new session with other rights.
      await client.invalidateQueries();
      clearInvitationToken();
      go(team_id === null ? `/accounts/${account_id}` : `/teams/${team_id}/renders`);
    },
  });
  return (
    <Page title="Invitation">
      {token === null ? (
        <EmptyList title="The link is incomplete">
          Copy the whole link, with the part after the #, and open it again.
        </EmptyList>
      ) : (
        <Stack maw={560}>
          <LoadedData data={data} error={unread} retry={refetch}>
            {(invitation) => (
              <>
                <Text>{invitationText(invitation)}</Text>
                {invitation.state === 'open' ? (
                  <Text size="sm" c="dimmed" component="div">
                    The link works once, until <Time at={invitation.expires_at} />.
                  </Text>
                ) : null}
              </>
            )}
          </LoadedData>
          <ErrorMessage error={error} />
          {data?.state === 'open' || data?.state === 'accepted' ? (
            <Group>
              <Button loading={isPending} onClick={() => mutate(token)}>
                Accept invitation
              </Button>
            </Group>
          ) : null}
        </Stack>
      )}
    </Page>
  );
};
