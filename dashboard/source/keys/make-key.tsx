import { Button, Checkbox, Group, Modal, MultiSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';
import { showSecret } from '../secrets/shown-secrets.ts';
import { useMe, useTeam } from '../session/me.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { ExpirySelect, expiresAt } from './expiry.tsx';

type Kind = 'personal' | 'service';

const Form = ({ team_id, onClose }: { readonly team_id: string; readonly onClose: () => void }) => {
  const client = useQueryClient();
  const { teams } = useMe();
  const team = useTeam(team_id);
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('service');
  const [ends, setEnds] = useState('365');
  const [writes, setWrites] = useState(false);
  const [team_ids, setTeams] = useState<readonly string[]>([team_id]);
  // One idempotency key per form, so that a second click does not create a second API key.
  const [once] = useState(() => crypto.randomUUID());
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { secret } = await unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/keys', {
          params: { path: { team_id }, header: { 'Idempotency-Key': once } },
          body: {
            ...{ name: name.trim(), kind, expires_at: expiresAt(ends), team_ids: [...team_ids] },
            scopes: writes ? ['projects:write'] : [],
          },
        }),
      );
      showSecret({ kind: 'key', text: secret });
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['keys', team_id] }),
  });
  // A key is limited to its account, so only teams of that account are offered.
  const open = teams.filter(({ account_id, may }) => account_id === team?.account_id && may.includes('manage_keys'));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(undefined, { onSuccess: onClose });
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="Name the program that will use it."
          placeholder="shop"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Radio.Group
          label="Type"
          value={kind}
          onChange={(value) => setKind(value === 'personal' ? 'personal' : 'service')}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="service"
              label="Service"
              description="Belongs to the team; keeps working when people leave."
            />
            <Radio
              value="personal"
              label="Personal"
              description="Belongs to you; stops working when you leave the team."
            />
          </Stack>
        </Radio.Group>
        {open.length < 2 ? null : (
          <MultiSelect
            label="Teams"
            data={open.map(({ id, name: label }) => ({ value: id, label }))}
            value={[...team_ids]}
            onChange={(chosen) => setTeams([team_id, ...chosen.filter((id) => id !== team_id)])}
          />
        )}
        <Checkbox
          label="Can change projects"
          description="Creates, changes and erases projects of its teams (scope projects:write)."
          checked={writes}
          onChange={({ currentTarget }) => setWrites(currentTarget.checked)}
        />
        <ExpirySelect value={ends} onChange={setEnds} />
        <ErrorMessage error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={name.trim() === ''}>
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

export const CreateKey = (props: {
  readonly team_id: string;
  readonly opened: boolean;
  readonly onClose: () => void;
}) => (
  <Modal opened={props.opened} onClose={props.onClose} title="Create an API key" closeOnClickOutside={false} size="lg">
    <Form team_id={props.team_id} onClose={props.onClose} />
  </Modal>
);
