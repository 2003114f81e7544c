import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ErrorMessage } from './fault.tsx';
import { matchesTyped } from './typed-name.ts';

export type ConfirmedChange = {
  readonly label: string;
  readonly title: string;
  readonly says: ReactNode;
  readonly act: () => Promise<unknown>;
  /** The person must type this text before a permanent change. */
  readonly typed?: { readonly what: string; readonly text: string };
  readonly danger?: boolean;
  /** The button that changes nothing. Another word than "Cancel" where the change itself cancels something. */
  readonly back?: string;
  /** Navigates away after a change that makes this page stale. The page's data is then not refetched. */
  readonly after?: () => void;
};

export const ConfirmationDialog = (
  props: ConfirmedChange & { readonly opened: boolean; readonly onClose: () => void },
) => {
  const { label, title, says, act, typed, danger = true, back = 'Cancel', opened, onClose, after } = props;
  const [given, setGiven] = useState('');
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: act,
    onSuccess: () => {
      if (after === undefined) void client.invalidateQueries();
    },
  });
  const is_sure = typed === undefined || matchesTyped(given, typed.text);
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
        <ErrorMessage error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {back}
          </Button>
          {/* Disabled while the dialog closes, because a second click could make the opposite change. */}
          <Button {...(danger && { color: 'red.8' })} disabled={!is_sure || !opened} loading={isPending} onClick={sure}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
};

export const ConfirmButton = ({ size = 'sm', ...change }: ConfirmedChange & { readonly size?: 'xs' | 'sm' }) => {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button
        size={size}
        variant="default"
        {...(change.danger !== false && { c: 'var(--danger-text)' })}
        onClick={() => setOpened(true)}
      >
        {change.label}
      </Button>
      <ConfirmationDialog {...change} opened={opened} onClose={() => setOpened(false)} />
    </>
  );
};
