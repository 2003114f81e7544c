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
  /** Called at once when the change begins, and when it has ended. */
  readonly onPending?: (is_pending: boolean) => void;
};

export type DialogControl = {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Shows the dialog again, because the change was refused after it closed. */
  readonly reopen: () => void;
  readonly setPending: (is_pending: boolean) => void;
};

/**
 * The dialog closes when the person confirms, and the button that opened it shows that the change is pending. If the
 * change is refused, the dialog opens again. Permanent changes keep the dialog, because they leave the page.
 */
export const ConfirmationDialog = (props: ConfirmedChange & DialogControl) => {
  const { label, title, says, act, typed, danger = true, back = 'Cancel', after, onPending } = props;
  const { opened, onClose, reopen, setPending } = props;
  const [given, setGiven] = useState('');
  const client = useQueryClient();
  const stays = typed !== undefined || after !== undefined;
  const note = (is_pending: boolean): void => {
    setPending(is_pending);
    onPending?.(is_pending);
  };
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: act,
    onMutate: () => {
      note(true);
      if (!stays) onClose();
    },
    onError: () => {
      if (!stays) reopen();
    },
    onSuccess: () => {
      if (after === undefined) void client.invalidateQueries();
    },
    onSettled: () => note(false),
  });
  const is_sure = typed === undefined || matchesTyped(given, typed.text);
  const sure = () => mutate(undefined, stays ? { onSuccess: after ?? onClose } : {});
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
  const [pending, setPending] = useState(false);
  const control = { opened, onClose: () => setOpened(false), reopen: () => setOpened(true), setPending };
  return (
    <>
      <Button
        size={size}
        variant="default"
        loading={pending}
        {...(change.danger !== false && { c: 'var(--danger-text)' })}
        onClick={() => setOpened(true)}
      >
        {change.label}
      </Button>
      <ConfirmationDialog {...change} {...control} />
    </>
  );
};
