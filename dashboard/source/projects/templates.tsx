import { Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Field, labelOf } from '../new-video/field-values.ts';
import { NewVideoButton } from '../new-video/new-video-button.tsx';
import { SheetButton } from '../sheet/sheet-button.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { DataTable } from '../shown/rows.tsx';
import { templatesQuery } from './templates-query.ts';

const KINDS: Readonly<Record<Field['kind'], string>> = {
  ...{ text: 'Text', number: 'Number', color: 'Colour', toggle: 'Yes or no', date: 'Date' },
  ...{ image: 'Picture', video: 'Video', audio: 'Sound' },
};

export const Templates = ({ team_id, project_id }: { readonly team_id: string; readonly project_id: string }) => {
  const { data, error, refetch } = useQuery(templatesQuery(team_id, project_id));
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  if (data.data.length === 0)
    return (
      <Text size="sm" c="dimmed">
        This project has no templates. Its renders take no values.
      </Text>
    );
  return data.data.map(({ id, name, description, fields }) => (
    <Paper key={id} withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {name}
          </Title>
          {/* With one template, the buttons of the page do the same. */}
          {data.data.length === 1 ? null : (
            <Group gap="xs">
              <NewVideoButton {...{ team_id, project_id }} template_id={id} of={name} size="xs" variant="default" />
              <SheetButton {...{ team_id, project_id }} template_id={id} of={name} size="xs" />
            </Group>
          )}
        </Group>
        {description === null ? null : <Text size="sm">{description}</Text>}
        {fields.length === 0 ? null : (
          <DataTable
            label={`Fields of ${name}`}
            rows={fields}
            keyOf={({ key }) => key}
            columns={[
              { name: 'Key', cell: ({ key }) => <Code>{key}</Code> },
              { name: 'Label', cell: labelOf },
              { name: 'Type', cell: ({ kind }) => KINDS[kind] },
              {
                name: 'Default',
                cell: ({ default_value }) => (
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {default_value}
                  </Text>
                ),
              },
            ]}
          />
        )}
        <Text size="xs" c="dimmed">
          Template ID for the API: <Code>{id}</Code>
        </Text>
      </Stack>
    </Paper>
  ));
};
