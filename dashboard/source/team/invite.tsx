import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { showSecret } from '../secrets/shown-secrets.ts';
import { ErrorMessage } from '../shown/fault.tsx';

type Role = Schemas['Role'];

type Inviting = {
  /**
   * True for an invitation to a team, where the inviter chooses a role. An owner of an account has no role to choose.
   */
  readonly roles: boolean;
  readonly invite: (role: Role) => Promise<Schemas['IssuedInvitation']>;
  readonly onClose: () => void;
};

const Form = ({ roles, invite, onClose }: Inviting) => {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>('member');
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { token } = await invite(role);
      showSecret({ kind: 'invitation', text: token });
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['invitations'] }),
  });
  return (
    <Stack>
      {roles ? (
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(value === 'admin' ? 'admin' : 'member')}>
          <Stack gap="xs" mt="xs">
            <Radio value="member" label="Member" description="Sees everything; can render and cancel." />
            <Radio value="admin" label="Admin" description="Also manages people, keys and webhooks." />
          </Stack>
        </Radio.Group>
      ) : (
        <Text size="sm">Owners are admins of every team and manage the account.</Text>
      )}
      <ErrorMessage error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isPending} onClick={() => mutate(undefined, { onSuccess: onClose })}>
          Create link
        </Button>
      </Group>
    </Stack>
  );
};

export const Invite = (props: Inviting & { readonly opened: boolean }) => (
  <Modal opened={props.opened} onClose={props.onClose} title="Invite a person" closeOnClickOutside={false} size="lg">
    <Form roles={props.roles} invite={props.invite} onClose={props.onClose} />
  </Modal>
);
