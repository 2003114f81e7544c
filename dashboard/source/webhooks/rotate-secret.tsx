import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../api/client.ts';
import { showSecret } from '../secrets/shown-secrets.ts';
import { ErrorMessage } from '../shown/fault.tsx';

type Rotating = { readonly team_id: string; readonly endpoint_id: string; readonly onClose: () => void };

const Form = ({ team_id, endpoint_id, onClose }: Rotating) => {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { secret } = await unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/rotate-secret', {
          params: { path: { team_id, endpoint_id } },
          body: {},
        }),
      );
      showSecret({ kind: 'signing_secret', text: secret });
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['endpoint', endpoint_id] }),
  });
  return (
    <Stack>
      <Text size="sm">Deliveries are signed with both secrets for 24 hours, or until you end the rotation.</Text>
      <ErrorMessage error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isPending} onClick={() => mutate(undefined, { onSuccess: onClose })}>
          Create new secret
        </Button>
      </Group>
    </Stack>
  );
};

export const RotateSecret = (props: Rotating & { readonly opened: boolean }) => (
  <Modal opened={props.opened} onClose={props.onClose} title="Rotate secret" closeOnClickOutside={false} size="lg">
    <Form team_id={props.team_id} endpoint_id={props.endpoint_id} onClose={props.onClose} />
  </Modal>
);
