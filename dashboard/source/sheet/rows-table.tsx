import { Anchor, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { drawableValues, type Field, labelOf } from '../new-video/field-values.ts';
import type { Wanted } from '../new-video/use-check.ts';
import { RenderStateWithReason } from '../renders/render-state.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { type Column, DataTable } from '../shown/rows.tsx';
import { ThumbnailImage } from '../shown/still.tsx';
import { columnName } from './column-matches.tsx';
import { fieldTarget, type Target } from './columns.ts';
import { RowStill } from './row-still.tsx';
import type { SheetRow } from './rows.ts';
import { isPending, type Order, type Sheet } from './sheet.ts';
import type { RowRender } from './use-row-renders.ts';

/** A row with all that is known about it. */
export type ShownRow = SheetRow & {
  /** Faults from the browser and the service, by target. */
  readonly faults: ReadonlyMap<Target, string>;
  /** Faults of no cell. */
  readonly others: readonly string[];
  readonly order: Order | null;
  readonly render: RowRender | null;
};

export const isFailed = ({ order, render }: ShownRow): boolean =>
  order !== null && (order.refusal !== null || render?.status === 'failed');

const isEditable = (row: ShownRow): boolean => row.order === null || isFailed(row);

const State = ({ team_id, row }: { readonly team_id: string; readonly row: ShownRow }) => {
  const { order, render, faults, others } = row;
  const about = (word: string, text: string | null): ReactNode => (
    <Stack gap={2} align="flex-start">
      <StateBadge word={word} />
      {text === null ? null : (
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      )}
    </Stack>
  );
  if (order === null) {
    if (others[0] !== undefined) return about('has a fault', others[0]);
    return faults.size > 0 ? about('has a fault', null) : '–';
  }
  if (order.refusal !== null) return about('refused', order.refusal);
  if (isPending(order)) return about('sending', null);
  if (render === null) return about('accepted', null);
  return (
    <Stack gap={2} align="flex-start">
      <RenderStateWithReason render={render} />
      <Anchor component={Link} href={`/teams/${team_id}/renders/${render.id}`} size="xs">
        {render.status === 'complete' ? 'Open video' : 'Open'}
        <span className="visually-hidden">: {row.name}</span>
      </Anchor>
    </Stack>
  );
};

const Cell = (props: {
  readonly label: string;
  readonly text: string;
  readonly placeholder: string;
  readonly fault: string | undefined;
  readonly setText: (text: string) => void;
}) => {
  const { label, text, placeholder, fault, setText } = props;
  const own = {
    ...{ size: 'xs', 'aria-label': label, value: text, placeholder, spellCheck: false, miw: 130 },
    ...(fault !== undefined && { error: fault }),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setText(currentTarget.value),
  } as const;
  return text.includes('\n') ? <Textarea {...own} rows={2} /> : <TextInput {...own} />;
};

type TableProps = {
  readonly team_id: string;
  readonly sheet: Sheet;
  readonly fields: readonly Field[];
  readonly of: Omit<Wanted, 'values'>;
  /** The rows of the page. */
  readonly rows: readonly ShownRow[];
  readonly setCell: (row: number, column: number, text: string) => void;
};

const cellColumns = ({ sheet, fields, setCell }: TableProps): readonly Column<ShownRow>[] => {
  const { table, targets } = sheet;
  return targets.flatMap((target, column): readonly Column<ShownRow>[] => {
    const field = fields.find(({ key }) => fieldTarget(key) === target);
    if (target === 'ignore' || (field === undefined && target !== 'name')) return [];
    const label = field === undefined ? 'Name' : labelOf(field);
    const name =
      label.toLowerCase() === columnName(table, column).toLowerCase()
        ? label
        : `${label} (${columnName(table, column)})`;
    return [
      {
        name,
        cell: (row) => {
          const text = table.rows[row.row]?.cells[column] ?? '';
          const placeholder = field === undefined ? row.name : field.default_value.replaceAll('\n', ' ');
          if (!isEditable(row))
            return <span style={{ overflowWrap: 'anywhere' }}>{text === '' ? placeholder : text}</span>;
          return (
            <Cell
              label={`${label}, row ${row.row + 1}`}
              {...{ text, placeholder }}
              fault={row.faults.get(target)}
              setText={(next) => setCell(row.row, column, next)}
            />
          );
        },
      },
    ];
  });
};

const Picture = ({ of, fields, row }: Pick<TableProps, 'of' | 'fields'> & { readonly row: ShownRow }) => {
  const poster_url = row.render?.poster_url ?? null;
  if (poster_url !== null) return <ThumbnailImage url={poster_url} />;
  return (
    <RowStill
      wanted={{ ...of, values: drawableValues(fields, row.values) }}
      is_valid={row.faults.size + row.others.length === 0}
    />
  );
};

export const RowsTable = (props: TableProps) => (
  <DataTable
    label="Rows of the sheet"
    rows={props.rows}
    keyOf={({ row }) => String(row)}
    columns={[
      { name: 'Row', cell: ({ row }) => <span className="figure">{row + 1}</span> },
      { name: 'Preview', cell: (row) => <Picture of={props.of} fields={props.fields} row={row} /> },
      ...cellColumns(props),
      { name: 'Status', cell: (row) => <State team_id={props.team_id} row={row} /> },
    ]}
  />
);

export const RowPages = (props: {
  readonly page: number;
  readonly size: number;
  readonly count: number;
  readonly show: (page: number) => void;
}) => {
  const { page, size, count, show } = props;
  if (count <= size) return null;
  const first = page * size + 1;
  return (
    <Group justify="space-between" component="nav" aria-label="Pages of rows">
      <Text size="sm" c="dimmed" className="figure" role="status">
        {first.toLocaleString()}–{Math.min(first + size - 1, count).toLocaleString()} of {count.toLocaleString()}
      </Text>
      <Group gap="xs">
        <Button variant="default" size="xs" disabled={page === 0} onClick={() => show(page - 1)}>
          Previous
        </Button>
        <Button variant="default" size="xs" disabled={first + size > count} onClick={() => show(page + 1)}>
          Next
        </Button>
      </Group>
    </Group>
  );
};
