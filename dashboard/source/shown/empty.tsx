import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export const EmptyList = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <Paper withBorder p="xl" radius="md">
    <Stack align="center" gap="sm">
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
