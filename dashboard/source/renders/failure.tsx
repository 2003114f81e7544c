import { Alert, Stack, Text } from '@mantine/core';
import type { Schemas } from '../api/client.ts';

type Failure = NonNullable<Schemas['Transition']['failure']>;

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  cancelled: 'It was cancelled, and costs nothing. Make it again where it is still wanted.',
  attempts_exhausted:
    'Workers were lost while they rendered it. Make it again; if that fails, too, tell the operators its id.',
  internal_error: 'This is a fault of the service. Make it again; if that fails, too, tell the operators its id.',
  surroundings: 'The machines lacked something they need. Make it again later.',
  over_budget: 'The project needs more than a render may use: make it shorter, smaller, or of fewer layers.',
  unreadable_media: 'A picture, video or sound could not be read: look at the field, replace the file, make it again.',
  text_too_long: 'Shorten the text of the field, and make it again.',
  no_glyph: 'No font has a sign of the text: change the text of the field, and make it again.',
};

const BY_STAGE: Readonly<Record<string, string>> = {
  preparation: 'Correct the values or the project, and make it again.',
  dispatch: 'No worker could take it. Make it again later, or ask the operators for workers.',
  rendering: 'Look at the message, correct the project or the values, and make it again.',
};

/** Why it failed, and what to do. */
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
          {WHAT_TO_DO[code] ?? BY_STAGE[stage] ?? 'Make it again; if that fails, too, tell the operators its id.'}
        </Text>
      </Stack>
    </Alert>
  );
};
