import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

export const Page = (props: {
  readonly title: string;
  readonly about?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => {
  const { title, about, actions, children } = props;
  useEffect(() => {
    document.title = `${title} · Video rendering`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Stack gap={4} miw={0} flex="1 1 240px">
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {about === undefined ? null : (
            <Text c="dimmed" size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
              {about}
            </Text>
          )}
        </Stack>
        {actions === undefined ? null : <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
};
