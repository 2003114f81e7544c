import { SegmentedControl, Stack } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { ColumnMatches } from './column-matches.tsx';
import { OrderPanel } from './order-panel.tsx';
import { ProgressPanel } from './progress-panel.tsx';
import { isFailed, RowPages, RowsTable, type ShownRow } from './rows-table.tsx';
import { startSending } from './send-rows.ts';
import { isPending, type Sheet, withCell, withOrders } from './sheet.ts';
import type { SheetStore } from './sheet-store.ts';
import { useSheetRows } from './use-sheet-rows.ts';

type Template = Schemas['TeamTemplate'];

const PAGE_ROWS = 20;

const needsAttention = (row: ShownRow): boolean => row.faults.size + row.others.length > 0 || isFailed(row);

/** Sends rows that are ordered but not accepted, also those of an earlier visit. */
const useSending = (store: SheetStore, sheet: Sheet, sent: Parameters<typeof startSending>[0]) => {
  const has_pending = sheet.orders?.some(isPending) ?? false;
  const latest = useRef(sent);
  latest.current = sent;
  const resume = (): void => startSending(latest.current, store);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only new rows to send start it
  useEffect(() => {
    if (has_pending) resume();
  }, [has_pending, sheet.id]);
  return resume;
};

export const SheetView = (props: {
  readonly team_id: string;
  readonly project: Schemas['Project'];
  readonly template: Template;
  readonly store: SheetStore;
  readonly sheet: Sheet;
}) => {
  const { team_id, project, template, store, sheet } = props;
  const { fields } = template;
  const of = { team_id, project_id: project.id, version: project.version, template_id: template.id };
  const { sending, is_kept } = store.get();
  const { rows, rowsOf, readiness, checks } = useSheetRows(of, sheet, fields, template.name);
  const resume = useSending(store, sheet, { ...of, fields, rowsOf });
  const [filter, setFilter] = useState<'all' | 'attention'>('all');
  const [page, setPage] = useState(0);
  const attention = rows.filter(needsAttention);
  // A row that is corrected stays until the person shows all rows or another page, because it has the focus.
  const [kept, setKept] = useState<ReadonlySet<number>>(new Set());
  const listed = filter === 'all' ? rows : rows.filter((row) => needsAttention(row) || kept.has(row.row));
  const last_page = Math.max(0, Math.ceil(listed.length / PAGE_ROWS) - 1);
  const shown_page = Math.min(page, last_page);
  const show = (next: number): void => {
    setPage(next);
    setKept(new Set(filter === 'all' ? [] : attention.map(({ row }) => row)));
  };
  const order = (chosen: readonly number[]): void => store.change((before) => withOrders(before, chosen));
  const startOver = (): void => store.replace(null);
  const is_ordered = sheet.orders !== null;
  return (
    <Stack gap="lg">
      {is_ordered ? (
        <ProgressPanel
          {...{ team_id, rows, sending, is_kept, resume, startOver }}
          project_name={project.name}
          renderRows={order}
          corrected={readiness}
        />
      ) : (
        <>
          <ColumnMatches
            {...{ fields }}
            table={sheet.table}
            targets={sheet.targets}
            setTargets={(targets) => store.change((before) => ({ ...before, targets }))}
          />
          <OrderPanel
            {...{ team_id, readiness, startOver }}
            total={rows.length}
            draft={sheet.draft}
            setDraft={(draft) => store.change((before) => ({ ...before, draft }))}
            check_error={checks.error}
            checkAgain={checks.retry}
            order={() => order(readiness.valid)}
          />
        </>
      )}
      {attention.length === 0 && filter === 'all' ? null : (
        <SegmentedControl
          w="fit-content"
          size="xs"
          aria-label="Rows to show"
          value={filter}
          onChange={(next) => {
            setFilter(next === 'attention' ? 'attention' : 'all');
            setPage(0);
            setKept(new Set(attention.map(({ row }) => row)));
          }}
          data={[
            { value: 'all', label: `All rows (${rows.length.toLocaleString()})` },
            { value: 'attention', label: `With faults (${attention.length.toLocaleString()})` },
          ]}
        />
      )}
      <RowsTable
        {...{ team_id, sheet, fields, of }}
        rows={listed.slice(shown_page * PAGE_ROWS, (shown_page + 1) * PAGE_ROWS)}
        setCell={(row, column, text) => store.change((before) => withCell(before, row, column, text))}
      />
      <RowPages page={shown_page} size={PAGE_ROWS} count={listed.length} show={show} />
    </Stack>
  );
};
