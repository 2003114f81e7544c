import { Button, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';
import { FormDialog } from '../shown/form-dialog.tsx';

const LONGEST_NAME = 100;

const Fields = (props: { readonly account_id: string; readonly opened: boolean; readonly onClose: () => void }) => {
  const { account_id, opened, onClose } = props;
  const [name, setName] = useState('');
  // One idempotency key per form, so that a second click does not create a second team.
  const [once] = useState(() => crypto.randomUUID());
  return (
    <FormDialog
      {...{ opened, onClose }}
      title="Create a team"
      label="Create team"
      ready={name.trim() !== ''}
      send={() =>
        unwrapAnswer(
          api.POST('/manage/v1/accounts/{account_id}/teams', {
            params: { path: { account_id }, header: { 'Idempotency-Key': once } },
            body: { name: name.trim() },
          }),
        )
      }
    >
      <TextInput
        label="Name"
        placeholder="Marketing"
        required
        maxLength={LONGEST_NAME}
        data-autofocus
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
    </FormDialog>
  );
};

export const CreateTeam = ({ account_id }: { readonly account_id: string }) => {
  const [forms, setForms] = useState(0);
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => {
          setForms(forms + 1);
          setOpened(true);
        }}
      >
        Create a team
      </Button>
      <Fields key={forms} account_id={account_id} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
};
