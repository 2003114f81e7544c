import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Fault } from './fault.tsx';
import { isTyped } from './typed-name.ts';

/** A change that needs a confirmation. */
export type Asked = {
  readonly label: string;
  readonly title: string;
  /** The effect of the change. */
  readonly says: ReactNode;
  readonly act: () => Promise<unknown>;
  /** A text that the person must type before a large change that cannot be undone. */
  readonly typed?: { readonly what: string; readonly text: string };
  readonly danger?: boolean;
  /** Navigates away after a change that makes this page stale; its data is then not refetched. */
  readonly after?: () => void;
};

/** Asks for a confirmation after a click on the button. */
export const Confirmation = (props: Asked & { readonly opened: boolean; readonly onClose: () => void }) => {
  const { label, title, says, act, typed, danger = true, opened, onClose, after } = props;
  const [given, setGiven] = useState('');
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: act,
    onSuccess: () => {
      if (after === undefined) void client.invalidateQueries();
    },
  });
  const is_sure = typed === undefined || isTyped(given, typed.text);
  const sure = () => mutate(undefined, { onSuccess: after ?? onClose });
  const close = () => {
    onClose();
    setGiven('');
    reset();
  };
  return (
    <Modal opened={opened} onClose={close} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {says}
        </Text>
        {typed === undefined ? null : (
          <TextInput
            label={`Type ${typed.what} to confirm`}
            description={typed.text}
            styles={{ description: { overflowWrap: 'anywhere', whiteSpace: 'pre-wrap', userSelect: 'text' } }}
            value={given}
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget }) => setGiven(currentTarget.value)}
          />
        )}
        <Fault error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Go back
          </Button>
          {/* While the dialog fades out, a click might already apply to the opposite state. */}
          <Button {...(danger && { color: 'red.8' })} disabled={!is_sure || !opened} loading={isPending} onClick={sure}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
};

/** A button for a change that needs a confirmation. */
export const Confirmed = ({ size = 'sm', ...asked }: Asked & { readonly size?: 'xs' | 'sm' }) => {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        size={size}
        variant="default"
        {...(asked.danger !== false && { c: 'var(--danger-text)' })}
        onClick={() => setOpened(true)}
      >
        {asked.label}
      </Button>
      <Confirmation {...asked} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
};
