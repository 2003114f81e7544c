import { Button, Group, Modal, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorMessage } from './fault.tsx';

type FormDialogProps = {
  readonly title: string;
  /** The button that sends the form. */
  readonly label: string;
  readonly ready: boolean;
  readonly send: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

const Form = ({ label, ready, send, onClose, children }: Omit<FormDialogProps, 'title'>) => {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: send,
    onSuccess: () => void client.invalidateQueries(),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate(undefined, { onSuccess: onClose });
      }}
    >
      <Stack>
        {children}
        <ErrorMessage error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={!ready}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

/** A form in a dialog. It stays open, with what was typed, until the service has accepted it. */
export const FormDialog = ({ opened, title, ...form }: FormDialogProps & { readonly opened: boolean }) => (
  <Modal opened={opened} onClose={form.onClose} title={title} closeOnClickOutside={false} size="lg">
    <Form {...form} />
  </Modal>
);
