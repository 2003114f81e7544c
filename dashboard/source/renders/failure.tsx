import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { templatesQuery } from '../projects/templates-query.ts';
import { type Failure, failureText, failureTitle } from './failure-text.ts';

const WHAT_TO_DO: Readonly<Record<string, string>> = {
  attempts_exhausted:
    'The workers that rendered it stopped unexpectedly. Render it again. If it fails again, send the render ID to the operators.',
  internal_error:
    'The service had an internal error. Render it again. If it fails again, send the render ID to the operators.',
  surroundings: 'The service did not have enough resources. Render it again later.',
  over_budget: 'The project exceeds the limits of a render. Make it shorter or smaller, or remove layers.',
  unreadable_media: 'Replace the file and render it again.',
  text_too_long: 'Shorten the text and render it again.',
  no_glyph: 'No font has one of the characters. Change the text and render it again.',
};

const BY_STAGE: Readonly<Record<string, string>> = {
  preparation: 'Correct the values or the project and render it again.',
  dispatch: 'No worker was available. Render it again later, or ask the operators for more workers.',
  rendering: 'Correct the project or the values and render it again.',
};

const OTHERWISE = 'Render it again. If it fails again, send the render ID to the operators.';

const adviceOf = ({ code, stage }: Failure): string => WHAT_TO_DO[code] ?? BY_STAGE[stage] ?? OTHERWISE;

export const FailureNote = (props: {
  readonly team_id: string;
  readonly project_id: string;
  readonly failure: Failure;
}) => {
  const { team_id, project_id, failure } = props;
  // The labels make the text nicer. Until they are loaded, and if the project was erased, the keys are shown.
  const { data } = useQuery({
    ...templatesQuery(team_id, project_id),
    enabled: failure.field !== undefined,
    retry: false,
  });
  const fields = (data?.data ?? []).flatMap((template) => template.fields);
  const labels = new Map(fields.flatMap(({ key, label }) => (label === null ? [] : [[key, label] as const])));
  const is_cancelled = failure.code === 'cancelled';
  return (
    <Alert color={is_cancelled ? 'gray' : 'red'} title={failureTitle(failure)}>
      <Stack gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {failureText(failure, labels)}
        </Text>
        {is_cancelled ? null : (
          <>
            <Text size="sm" fw={500}>
              {adviceOf(failure)}
            </Text>
            <Text size="xs" c="dimmed">
              Code: {failure.code}, in {failure.stage}
              {failure.field === undefined ? '' : `, field ${failure.field}`}
            </Text>
          </>
        )}
      </Stack>
    </Alert>
  );
};
