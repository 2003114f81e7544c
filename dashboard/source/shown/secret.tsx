import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';

export const CopyableText = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <Stack gap={4}>
    <Group justify="space-between" align="flex-end">
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy} aria-label={`Copy: ${label}`}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
    <Code block tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {text}
    </Code>
  </Stack>
);
