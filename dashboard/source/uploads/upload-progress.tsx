import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import { stateText } from './state-text.ts';
import type { UploadState } from './upload-file.ts';

/** @param of names the file or the field for screen readers */
export const UploadProgress = (props: {
  readonly of: string;
  readonly state: UploadState;
  readonly cancel: () => void;
}) => {
  const { of, state, cancel } = props;
  return (
    <Group gap="xs" wrap="nowrap">
      <Stack gap={2} flex={1} role="status">
        <Progress
          value={state.tag === 'checking' ? 100 : state.progress * 100}
          animated={state.tag === 'checking'}
          aria-label={`Upload for ${of}`}
        />
        <Text size="xs">{stateText(state)}</Text>
      </Stack>
      <Button variant="subtle" size="xs" onClick={cancel}>
        Cancel
      </Button>
    </Group>
  );
};
