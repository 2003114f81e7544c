import { Button, TextInput } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useState } from 'react';
import { FormDialog } from './form-dialog.tsx';

const LONGEST_NAME = 100;

/** @param props.what what is renamed, like "team" */
export const RenameButton = (props: {
  readonly what: string;
  readonly name: string;
  readonly rename: (name: string) => Promise<unknown>;
}) => {
  const { what, name, rename } = props;
  const [given, setGiven] = useState<string | null>(null);
  const text = given ?? '';
  return (
    <>
      <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setGiven(name)}>
        Rename
      </Button>
      <FormDialog
        opened={given !== null}
        onClose={() => setGiven(null)}
        title={`Rename ${what}`}
        label="Rename"
        ready={text.trim() !== '' && text.trim() !== name}
        send={() => rename(text.trim())}
      >
        <TextInput
          label="Name"
          required
          maxLength={LONGEST_NAME}
          data-autofocus
          value={text}
          onChange={({ currentTarget }) => setGiven(currentTarget.value)}
        />
      </FormDialog>
    </>
  );
};
