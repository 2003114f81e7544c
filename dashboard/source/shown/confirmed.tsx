import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Fault } from './fault.tsx';

/**
 * A button for a change that is asked about first.
 *
 * @param says what will happen
 * @param typed what has to be typed before, where much goes and nothing brings it back
 */
export const Confirmed = (props: {
  readonly label: string;
  readonly title: string;
  readonly says: ReactNode;
  readonly act: () => Promise<unknown>;
  readonly typed?: { readonly what: string; readonly text: string };
  readonly danger?: boolean;
  readonly size?: 'xs' | 'sm';
}) => {
  const { label, title, says, act, typed, danger = true, size = 'sm' } = props;
  const [opened, setOpened] = useState(false);
  const [given, setGiven] = useState('');
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: act,
    onSuccess: () => {
      setOpened(false);
      return client.invalidateQueries();
    },
  });
  const is_sure = typed === undefined || given.trim() === typed.text.trim();
  const close = () => {
    setOpened(false);
    setGiven('');
    reset();
  };
  return (
    <>
      <Button
        size={size}
        variant="default"
        {...(danger && { c: 'var(--danger-text)' })}
        onClick={() => setOpened(true)}
      >
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={title}>
        <Stack>
          <Text size="sm" component="div">
            {says}
          </Text>
          {typed === undefined ? null : (
            <TextInput
              label={`Type ${typed.what} to go on`}
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
              Leave as it is
            </Button>
            <Button
              {...(danger && { color: 'red.8' })}
              disabled={!is_sure}
              loading={isPending}
              onClick={() => mutate()}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
};
