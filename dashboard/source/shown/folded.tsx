import { Box, Group, Text } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';

/** Technical details, which open on demand. The contents are rendered only then. */
export const Folded = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => {
  const [opened, setOpened] = useState(false);
  return (
    <details className="folded" onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>
        <Group component="span" gap={6} display="inline-flex">
          <IconChevronRight size={16} aria-hidden className="folded-mark" />
          <Text span size="sm" fw={500}>
            {title}
          </Text>
        </Group>
      </summary>
      {opened ? <Box mt="sm">{children}</Box> : null}
    </details>
  );
};
