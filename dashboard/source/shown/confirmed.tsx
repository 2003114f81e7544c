import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Fault } from './fault.tsx';

/** A button for a change that is asked about first. @param says what will happen */
export const Confirmed = (props: {
  readonly label: string;
  readonly title: string;
  readonly says: ReactNode;
  readonly act: () => Promise<unknown>;
  readonly danger?: boolean;
  readonly size?: 'xs' | 'sm';
}) => {
  const { label, title, says, act, danger = true, size = 'sm' } = props;
  const [opened, setOpened] = useState(false);
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: act,
    onSuccess: () => {
      setOpened(false);
      return client.invalidateQueries();
    },
  });
  const close = () => {
    setOpened(false);
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
          <Fault error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Leave as it is
            </Button>
            <Button {...(danger && { color: 'red.8' })} loading={isPending} onClick={() => mutate()}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
};
