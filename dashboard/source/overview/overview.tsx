import { Group, Paper, SimpleGrid, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconHourglass, IconLoader } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { codeText } from '../renders/failure-text.ts';
import type { Status } from '../renders/statuses.ts';
import { BarChart } from '../shown/bar-chart.tsx';
import { type Days, DaysChoice } from '../shown/days.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { DataTable } from '../shown/rows.tsx';
import { duration } from '../shown/time-text.ts';
import { CANCELLED, cancelledOf, dayText, everyDay } from './statistics-days.ts';

type Statistics = Schemas['Statistics'];
/** The statuses of renders, as a reader groups them. */
const NOW = [
  { name: 'Waiting', statuses: ['initializing', 'ready', 'queued'], icon: IconHourglass, color: 'gray' },
  { name: 'Rendering', statuses: ['processing', 'finalizing'], icon: IconLoader, color: 'blue' },
  { name: 'Complete', statuses: ['complete'], icon: IconCircleCheck, color: 'green' },
  { name: 'Failed or cancelled', statuses: ['failed'], icon: IconCircleX, color: 'gray' },
] as const satisfies readonly { readonly statuses: readonly Status[]; readonly [name: string]: unknown }[];

const Figure = (props: {
  readonly name: string;
  readonly icon?: typeof IconCircleX;
  readonly color?: string;
  readonly children: ReactNode;
}) => {
  const { name, icon: Icon, color = 'gray', children } = props;
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" c="dimmed">
          {name}
        </Text>
        {Icon === undefined ? null : (
          <ThemeIcon variant="light" color={color} size="md">
            <Icon size={16} aria-hidden />
          </ThemeIcon>
        )}
      </Group>
      <Text fz={26} fw={650} className="figure">
        {children}
      </Text>
    </Paper>
  );
};

const length = (ms: number | null): string => (ms === null ? '–' : duration(ms));

const Failures = ({ of, days }: { readonly of: Statistics; readonly days: Days }) => {
  const failures = of.all.failures.filter(({ code }) => code !== CANCELLED);
  return (
    <Paper withBorder p="md" component="section" aria-label="Why renders failed">
      <Title order={2} size="h5" mb="sm">
        Why renders failed
      </Title>
      {failures.length === 0 ? (
        <Text size="sm" c="dimmed">
          No failed renders in the last {days} days.
        </Text>
      ) : (
        <DataTable
          label="Failures by code"
          rows={failures}
          keyOf={({ code }) => code}
          columns={[
            { name: 'Reason', cell: ({ code }) => codeText(code) },
            { name: 'Renders', cell: ({ count }) => count.toLocaleString() },
          ]}
        />
      )}
    </Paper>
  );
};

const Charts = ({ of, days }: { readonly of: Statistics; readonly days: Days }) => {
  const rows = everyDay(of);
  const { all } = of;
  return (
    <>
      <BarChart
        title="Renders by day (UTC)"
        rows={rows}
        labelOf={dayText}
        series={[
          { name: 'Complete', color: 'indigo.6', value: ({ completed }) => completed },
          { name: 'Failed', color: 'red.4', value: (day) => day.failed - cancelledOf(day) },
          { name: 'Cancelled', color: 'gray.5', value: cancelledOf },
        ]}
      />
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure name="Median wait">{length(all.wait.p50_ms)}</Figure>
        <Figure name="95th percentile wait">{length(all.wait.p95_ms)}</Figure>
        <Figure name="Median rendering time">{length(all.duration.p50_ms)}</Figure>
        <Figure name="95th percentile rendering time">{length(all.duration.p95_ms)}</Figure>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <BarChart
          title="Wait by day, 95th percentile"
          rows={rows}
          labelOf={dayText}
          format={duration}
          series={[{ name: 'Wait', color: 'indigo.6', value: ({ wait }) => wait.p95_ms ?? 0 }]}
        />
        <BarChart
          title="Rendering time by day, 95th percentile"
          rows={rows}
          labelOf={dayText}
          format={duration}
          series={[{ name: 'Rendering', color: 'indigo.6', value: ({ duration: took }) => took.p95_ms ?? 0 }]}
        />
        <BarChart
          title="Credits charged by day"
          rows={rows}
          labelOf={dayText}
          series={[{ name: 'Credits', color: 'teal.7', value: ({ charged_credits }) => charged_credits }]}
        />
        <Failures of={of} days={days} />
      </SimpleGrid>
    </>
  );
};

export const Overview = (props: {
  readonly query: UseQueryResult<Statistics>;
  readonly period: ComponentProps<typeof DaysChoice>;
}) => {
  const { query, period } = props;
  const { data, error, refetch } = query;
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  return (
    <Stack gap="lg">
      <ErrorMessage error={error} retry={refetch} />
      <section aria-label="Now">
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
          {NOW.map(({ name, statuses, icon, color }) => (
            <Figure key={name} name={name} icon={icon} color={color}>
              {statuses.reduce((sum, status) => sum + (data.now[status] ?? 0), 0).toLocaleString()}
            </Figure>
          ))}
        </SimpleGrid>
      </section>
      <Group justify="space-between">
        <Title order={2} size="h4">
          Activity
        </Title>
        <DaysChoice {...period} />
      </Group>
      <Charts of={data} days={period.days} />
    </Stack>
  );
};
