import { ActionIcon, Code, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** An ID with a button that copies it. */
export const CopyableId = ({ id }: { readonly id: string }) => (
  <Group component="span" gap={4} wrap="nowrap" display="inline-flex" maw="100%">
    <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code>
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          onClick={copy}
          aria-label={copied ? 'Copied' : `Copy ${id}`}
        >
          {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
        </ActionIcon>
      )}
    </CopyButton>
  </Group>
);
