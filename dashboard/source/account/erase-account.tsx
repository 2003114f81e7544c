import { Stack, Text, Title } from '@mantine/core';
import { api, taken } from '../api/client.ts';
import { FreshAction } from '../session/fresh.tsx';
import type { Me } from '../session/me.ts';
import { beginAnew } from '../shown/begin-anew.ts';
import { Confirmation } from '../shown/confirmed.tsx';

/** For owners: the end of the account. */
export const EraseAccount = ({ account }: { readonly account: Me['accounts'][number] }) => {
  const { id: account_id, name } = account;
  const erase = () =>
    taken(api.POST('/manage/v1/accounts/{account_id}/erase', { params: { path: { account_id } }, body: { name } }));
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={2} size="h3">
        Erase the account
      </Title>
      <Text size="sm" c="dimmed">
        With all of its projects, renders and videos, its keys, endpoints and teams. Nothing brings it back.
      </Text>
      <FreshAction
        name="erase"
        label="Erase the account"
        variant="default"
        danger
        why="An account is erased only by an owner who has just signed in."
      >
        {(shown) => (
          <Confirmation
            label="Erase the account"
            title="Erase this account for good?"
            says={
              <Stack gap="xs">
                <span>
                  Its keys are refused within a second. All of its projects are deleted, and every render with its
                  videos: those that are under way when they have ended. Its endpoints and invitations go, and nobody is
                  of it any more. Nothing brings it back.
                </span>
                <span>
                  What stays: its people, who may be of other accounts; what it was granted and has cost, for operators;
                  and in the log who did what, its name, those of its teams and keys, and URLs of its endpoints.
                </span>
              </Stack>
            }
            typed={{ what: 'the name of the account', text: name }}
            act={erase}
            after={beginAnew}
            {...shown}
          />
        )}
      </FreshAction>
    </Stack>
  );
};
