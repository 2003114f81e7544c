import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { showSecret } from '../secrets/shown-secrets.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { ExpirySelect, expiresAt } from './expiry.tsx';

const OVERLAPS = [
  { value: '0', label: 'Immediately' },
  { value: '3600', label: 'In an hour' },
  { value: '86400', label: 'In a day' },
  { value: '604800', label: 'In a week' },
];

type Rotating = { readonly team_id: string; readonly api_key: Schemas['ApiKey']; readonly onClose: () => void };

const Form = ({ team_id, api_key, onClose }: Rotating) => {
  const client = useQueryClient();
  const [overlap, setOverlap] = useState('86400');
  const [ends, setEnds] = useState('365');
  const [once] = useState(() => crypto.randomUUID());
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { secret } = await unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/keys/{key_id}/rotate', {
          params: { path: { team_id, key_id: api_key.id }, header: { 'Idempotency-Key': once } },
          body: { overlap_s: Number(overlap), expires_at: expiresAt(ends) },
        }),
      );
      showSecret({ kind: 'key', text: secret });
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['keys', team_id] }),
  });
  return (
    <Stack>
      <Text size="sm">Replaces “{api_key.name}”. Give the new key to your programs before the old one expires.</Text>
      <Select
        label="The old key expires"
        data={OVERLAPS}
        value={overlap}
        allowDeselect={false}
        onChange={(value) => value !== null && setOverlap(value)}
      />
      <ExpirySelect value={ends} onChange={setEnds} />
      <ErrorMessage error={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={isPending} onClick={() => mutate(undefined, { onSuccess: onClose })}>
          Rotate key
        </Button>
      </Group>
    </Stack>
  );
};

export const RotateKey = (props: Rotating & { readonly opened: boolean }) => (
  <Modal opened={props.opened} onClose={props.onClose} title="Rotate key" closeOnClickOutside={false} size="lg">
    <Form team_id={props.team_id} api_key={props.api_key} onClose={props.onClose} />
  </Modal>
);
