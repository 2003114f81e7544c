import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { DataTable } from './rows.tsx';

export type Series<A> = {
  readonly name: string;
  /** A theme colour. Neighbouring colours also differ in lightness. */
  readonly color: string;
  readonly value: (row: A) => number;
};

const WIDTH = 640;
const HEIGHT = 120;
const GAP = 2;

/** The smallest 1, 2 or 5 times a power of ten that is at least the value. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 5].find((step) => step * power >= value) ?? 10) * power;
};

/**
 * Stacked bars over time, with a table as an alternative.
 *
 * @param format formats a value for the table and the axis
 */
export const BarChart = <A,>(props: {
  readonly title: string;
  readonly rows: readonly A[];
  readonly labelOf: (row: A) => string;
  readonly series: readonly Series<A>[];
  readonly format?: (value: number) => string;
}) => {
  const { title, rows, labelOf, series, format = (value: number) => value.toLocaleString() } = props;
  const [as_table, setAsTable] = useState(false);
  const totalOf = (row: A): number => series.reduce((sum, { value }) => sum + value(row), 0);
  const most = Math.max(0, ...rows.map(totalOf));
  const top = roundUp(most);
  const step = WIDTH / Math.max(rows.length, 1);
  const bars = rows.flatMap((row, index) => {
    let below = 0;
    return series.map(({ name, color, value }) => {
      const height = (value(row) / top) * HEIGHT;
      below += height;
      return (
        <rect
          key={`${labelOf(row)} ${name}`}
          x={index * step + GAP / 2}
          y={HEIGHT - below}
          width={Math.max(step - GAP, 1)}
          height={height}
          fill={`var(--mantine-color-${color})`}
        >
          <title>{`${labelOf(row)}: ${name} ${format(value(row))}`}</title>
        </rect>
      );
    });
  });
  const first = rows[0];
  const last = rows.at(-1);
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Button size="compact-xs" variant="default" flex="none" onClick={() => setAsTable(!as_table)}>
          {as_table ? 'Show chart' : 'Show table'}
        </Button>
      </Group>
      {as_table ? (
        <DataTable
          label={title}
          rows={rows}
          keyOf={labelOf}
          columns={[
            { name: 'From', cell: labelOf },
            ...series.map(({ name, value }) => ({ name, cell: (row: A) => format(value(row)) })),
          ]}
        />
      ) : (
        <Stack gap={4}>
          <Text size="xs" c="dimmed">
            {most === 0 ? 'No data yet' : format(top)}
          </Text>
          <svg
            viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
            className="chart"
            preserveAspectRatio="none"
            role="img"
            aria-label={`${title}, bar chart`}
          >
            {bars}
          </svg>
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              {first === undefined ? '' : labelOf(first)}
            </Text>
            <Text size="xs" c="dimmed">
              {last === undefined ? '' : labelOf(last)}
            </Text>
          </Group>
          <Group gap="md">
            {series.map(({ name, color }) => (
              <Group key={name} gap={6}>
                <svg width="10" height="10" aria-hidden="true">
                  <rect width="10" height="10" rx="2" fill={`var(--mantine-color-${color})`} />
                </svg>
                <Text size="xs">{name}</Text>
              </Group>
            ))}
          </Group>
        </Stack>
      )}
    </Paper>
  );
};
