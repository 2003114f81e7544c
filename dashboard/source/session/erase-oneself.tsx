import { Stack, Text, Title } from '@mantine/core';
import { api, taken } from '../api/client.ts';
import { beginAnew } from '../shown/begin-anew.ts';
import { Confirmation } from '../shown/confirmed.tsx';
import { FreshAction } from './fresh.tsx';

export const EraseOneself = ({ user_id }: { readonly user_id: string }) => {
  const erase = () => taken(api.POST('/manage/v1/me/erase', { body: { user_id } }));
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={2} size="h3">
        Erase yourself
      </Title>
      <Text size="sm" c="dimmed">
        Your address, roles, keys and sessions, in every account. Nothing brings you back.
      </Text>
      <FreshAction
        name="erase"
        label="Erase yourself"
        variant="default"
        danger
        why="Only who has just signed in may erase themselves."
      >
        {(shown) => (
          <Confirmation
            label="Erase yourself"
            title="Erase yourself for good?"
            says={
              <Stack gap="xs">
                <span>
                  Your sessions and personal keys are refused within a second. Your address is deleted, and your roles,
                  your keys and the link to whom you sign in as are taken away, in every account. Nothing brings you
                  back: who is invited again becomes another user.
                </span>
                <span>
                  What stays: your id, where it says who made or changed what; projects and renders that you have made,
                  as they are their teams'; and service keys that you have seen.
                </span>
              </Stack>
            }
            typed={{ what: 'your user id', text: user_id }}
            act={erase}
            after={beginAnew}
            {...shown}
          />
        )}
      </FreshAction>
    </Stack>
  );
};
