import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export const PropertyList = ({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) => (
  <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="md" m={0}>
    {facts.map(([name, value]) => (
      <Stack key={name} gap={2} miw={0}>
        <Text component="dt" size="xs" c="dimmed">
          {name}
        </Text>
        <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
          {value}
        </Text>
      </Stack>
    ))}
  </SimpleGrid>
);
