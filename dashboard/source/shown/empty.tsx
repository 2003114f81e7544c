import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';

export const EmptyList = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="sm">
      <ThemeIcon variant="light" color="gray" size="xl" radius="xl">
        <IconInbox size={22} aria-hidden />
      </ThemeIcon>
      <Title order={2} size="h4" ta="center">
        {title}
      </Title>
      {children === undefined ? null : (
        <Text component="div" c="dimmed" size="sm" maw={640} w="100%" ta="center">
          {children}
        </Text>
      )}
    </Stack>
  </Paper>
);
