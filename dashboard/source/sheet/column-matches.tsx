import { Select, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { type Field, labelOf } from '../new-video/field-values.ts';
import { fieldTarget, isTarget, type Target, withTarget } from './columns.ts';
import type { Table } from './parse-table.ts';

const MAX_SAMPLE = 60;

const sampleOf = ({ rows }: Table, column: number): string => {
  const sample = rows.find(({ cells }) => (cells[column] ?? '').trim() !== '')?.cells[column] ?? '';
  return sample === '' ? 'Empty' : `For example ${sample.slice(0, MAX_SAMPLE).toWellFormed().replaceAll('\n', ' ')}`;
};

const choices = (fields: readonly Field[]): { readonly value: Target; readonly label: string }[] => [
  { value: 'ignore', label: 'Ignore' },
  { value: 'name', label: 'Name of the video' },
  ...fields.map((field) => ({ value: fieldTarget(field.key), label: labelOf(field) })),
];

export const columnName = ({ columns }: Table, column: number): string => columns[column] || `Column ${column + 1}`;

/** Selects for what each column of the table fills. */
export const ColumnMatches = (props: {
  readonly table: Table;
  readonly fields: readonly Field[];
  readonly targets: readonly Target[];
  readonly setTargets: (targets: readonly Target[]) => void;
}) => {
  const { table, fields, targets, setTargets } = props;
  const data = choices(fields);
  const missing = fields.filter(({ key }) => !targets.includes(fieldTarget(key)));
  return (
    <Stack component="section" gap="xs" aria-label="Columns">
      <Title order={2} size="h4">
        Columns
      </Title>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
        {table.columns.map((_, column) => (
          <Select
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity, and never move
            key={column}
            size="xs"
            label={columnName(table, column)}
            description={sampleOf(table, column)}
            styles={{ label: { overflowWrap: 'anywhere' }, description: { overflowWrap: 'anywhere' } }}
            data={data}
            value={targets[column] ?? 'ignore'}
            allowDeselect={false}
            onChange={(target) => isTarget(target) && setTargets(withTarget(targets, column, target))}
          />
        ))}
      </SimpleGrid>
      {missing.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          {missing.length === 1 ? 'Without a column' : 'Without columns'}: {missing.map(labelOf).join(', ')}. All videos
          get the default.
        </Text>
      )}
    </Stack>
  );
};
