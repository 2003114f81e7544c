import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Fault } from './fault.tsx';
import { isTyped } from './typed-name.ts';

/** A change that is asked about. */
export type Asked = {
  readonly label: string;
  readonly title: string;
  /** What will happen. */
  readonly says: ReactNode;
  readonly act: () => Promise<unknown>;
  /** What has to be typed before, where much goes and nothing brings it back. */
  readonly typed?: { readonly what: string; readonly text: string };
  readonly danger?: boolean;
  /** Where to go once it is made, and nothing that is shown here is true any more; then nothing is read again. */
  readonly after?: () => void;
};

/** Asks about a change, once a button for it was pressed. */
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
          {/* While it fades out, what it would do may be the opposite already. */}
          <Button {...(danger && { color: 'red.8' })} disabled={!is_sure || !opened} loading={isPending} onClick={sure}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
};

/** A button for a change that is asked about first. */
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
