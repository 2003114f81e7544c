import { Button, Checkbox, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';
import { showSecret } from '../secrets/shown-secrets.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { EVENTS, type Event, knownEvents } from './events.ts';

const Form = ({ team_id, onClose }: { readonly team_id: string; readonly onClose: () => void }) => {
  const client = useQueryClient();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<Event[]>(['render.complete', 'render.failed']);
  const [once] = useState(() => crypto.randomUUID());
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { secret } = await unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/endpoints', {
          params: { path: { team_id }, header: { 'Idempotency-Key': once } },
          body: { url: url.trim(), events },
        }),
      );
      showSecret({ kind: 'signing_secret', text: secret });
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['endpoints', team_id] }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(undefined, { onSuccess: onClose });
      }}
    >
      <Stack>
        <TextInput
          label="URL"
          description="A public https address. You cannot change it later."
          placeholder="https://example.com/hooks/renders"
          required
          type="url"
          maxLength={2048}
          data-autofocus
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        />
        <Checkbox.Group label="Events" value={events} onChange={(chosen) => setEvents(knownEvents(chosen))}>
          <Stack gap="xs" mt="xs">
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} />
            ))}
          </Stack>
        </Checkbox.Group>
        <ErrorMessage error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={url.trim() === '' || events.length === 0}>
            Create endpoint
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

export const CreateEndpoint = (props: {
  readonly team_id: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) => (
  <Modal
    opened={props.opened}
    onClose={props.onClose}
    title="Create a webhook endpoint"
    closeOnClickOutside={false}
    size="lg"
  >
    <Form team_id={props.team_id} onClose={props.onClose} />
  </Modal>
);
