import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmationDialog } from '../shown/confirmed.tsx';
import { reloadFirstPage } from '../shown/reload-first-page.ts';
import { FreshSignInAction } from './fresh.tsx';

export const PermanentErasure = (props: {
  readonly label: string;
  readonly what: string;
  readonly why: string;
  readonly title: string;
  readonly goes: ReactNode;
  readonly stays: ReactNode;
  readonly typed: { readonly what: string; readonly text: string };
  readonly erase: () => Promise<unknown>;
}) => {
  const { label, what, why, title, goes, stays, typed, erase } = props;
  const says = (
    <Stack gap="xs">
      <span>{goes}</span>
      <span>{stays}</span>
    </Stack>
  );
  return (
    <Stack gap="xs" align="flex-start">
      <Title order={2} size="h3">
        {label}
      </Title>
      <Text size="sm" c="dimmed">
        {what}
      </Text>
      <FreshSignInAction name="erase" label={label} variant="default" danger why={why}>
        {(shown) => (
          <ConfirmationDialog
            label={label}
            title={title}
            says={says}
            typed={typed}
            act={erase}
            after={reloadFirstPage}
            {...shown}
          />
        )}
      </FreshSignInAction>
    </Stack>
  );
};
