import { Button, Center, Group, Paper, Skeleton, Text, Title } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';
import { DataTable } from './rows.tsx';

const Plot = lazy(() => import('./plot.tsx'));

const HEIGHT_PX = 190;

export type Series<A> = {
  readonly name: string;
  /** A theme colour. Neighbouring colours also differ in lightness. */
  readonly color: string;
  readonly value: (row: A) => number;
};

/**
 * Stacked bars over time, with a table as an alternative. A page loads the library when the first chart is in view.
 *
 * @param format formats a value for the tooltip, the axis and the table
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
  const { ref, inViewport } = useInViewport();
  const [was_seen, setSeen] = useState(false);
  useEffect(() => {
    if (inViewport) setSeen(true);
  }, [inViewport]);
  const is_empty = rows.every((row) => series.every(({ value }) => value(row) === 0));
  const plotted = rows.map((row) => ({
    label: labelOf(row),
    ...Object.fromEntries(series.map(({ name, value }) => [name, value(row)])),
  }));
  return (
    <Paper withBorder p="md" component="section" aria-label={title} ref={ref}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Title order={2} size="h5">
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
            { name: 'Day', cell: labelOf },
            ...series.map(({ name, value }) => ({ name, cell: (row: A) => format(value(row)) })),
          ]}
        />
      ) : is_empty ? (
        <Center h={HEIGHT_PX}>
          <Text size="sm" c="dimmed">
            No data in this period
          </Text>
        </Center>
      ) : !was_seen ? (
        <Skeleton h={HEIGHT_PX} animate={false} />
      ) : (
        <Suspense fallback={<Skeleton h={HEIGHT_PX} role="img" aria-label="Loading" />}>
          <Plot rows={plotted} series={series.map(({ name, color }) => ({ name, color }))} format={format} />
        </Suspense>
      )}
    </Paper>
  );
};
