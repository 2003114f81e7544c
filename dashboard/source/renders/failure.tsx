import { Alert, Stack, Text } from '@mantine/core';
import type { Schemas } from '../api/client.ts';

type Failure = NonNullable<Schemas['Transition']['failure']>;

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  cancelled: 'This render was cancelled and costs nothing. Render it again if you still need it.',
  attempts_exhausted:
    'The workers that rendered it stopped unexpectedly. Render it again. If it fails again, send the render ID to the operators.',
  internal_error:
    'The service had an internal error. Render it again. If it fails again, send the render ID to the operators.',
  surroundings: 'The service did not have enough resources. Render it again later.',
  over_budget: 'The project exceeds the limits of a render. Make it shorter or smaller, or remove layers.',
  unreadable_media: 'An image, video or audio file could not be read. Replace the file and render again.',
  text_too_long: 'Shorten the text and render again.',
  no_glyph: 'No font has one of the characters in the text. Change the text and render again.',
};

const BY_STAGE: Readonly<Record<string, string>> = {
  preparation: 'Correct the values or the project and render it again.',
  dispatch: 'No worker was available. Render it again later, or ask the operators for more workers.',
  rendering: 'Correct the project or the values as the message says, and render it again.',
};

export const FailureNote = ({ failure }: { readonly failure: Failure }) => {
  const { stage, code, message, field } = failure;
  return (
    <Alert color={code === 'cancelled' ? 'gray' : 'red'} title={`Failed in ${stage}: ${code.replaceAll('_', ' ')}`}>
      <Stack gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {message}
        </Text>
        {field === undefined ? null : <Text size="sm">Field: {field}</Text>}
        <Text size="sm" fw={500}>
          {WHAT_TO_DO[code] ??
            BY_STAGE[stage] ??
            'Render it again. If it fails again, send the render ID to the operators.'}
        </Text>
      </Stack>
    </Alert>
  );
};
