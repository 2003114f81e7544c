import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import { type Field, isMedia } from '../new-video/field-values.ts';
import type { Wanted } from '../new-video/use-check.ts';
import { useAssets } from '../new-video/video-form.tsx';
import { readinessOf, rowFaults } from './counts.ts';
import { openSheetRows } from './rows.ts';
import type { ShownRow } from './rows-table.tsx';
import type { Sheet } from './sheet.ts';
import { useRowChecks } from './use-row-checks.ts';
import { useRowRenders } from './use-row-renders.ts';

/** A change waits for this time for the next one. */
const PAUSE_MS = 300;

/** The rows of a sheet with their faults, prices and renders. */
export const useSheetRows = (of: Omit<Wanted, 'values'>, sheet: Sheet, fields: readonly Field[], fallback: string) => {
  const has_media = fields.some(({ kind }) => isMedia(kind));
  const assets = useAssets(of.team_id, of.project_id, has_media);
  const { table, targets, draft, orders } = sheet;
  const rowsOf = useMemo(
    () => openSheetRows(fields, fallback, assets.length === 0 ? null : assets.map(({ id }) => id)),
    [assets, fields, fallback],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: orders change often, and no row depends on them
  const rows = useMemo(() => rowsOf(sheet), [rowsOf, table, targets]);
  const of_rows = useMemo(() => new Map((orders ?? []).map((order) => [order.row, order])), [orders]);
  const ids = useMemo(() => (orders ?? []).flatMap(({ render_id }) => render_id ?? []), [orders]);
  const renders = useRowRenders(of.team_id, ids);
  const wanted = useMemo(
    () =>
      rows.flatMap(({ row, values, faults }) => {
        const order = of_rows.get(row);
        return faults.size === 0 && (order === undefined || order.refusal !== null) ? [values] : [];
      }),
    [rows, of_rows],
  );
  const [settled] = useDebouncedValue(wanted, PAUSE_MS);
  const checks = useRowChecks({ ...of, fields }, settled, draft);
  const shown = useMemo(
    () =>
      rows.map((row): ShownRow & { readonly check: ReturnType<typeof checks.of> } => {
        const check = checks.of(row.values);
        const order = of_rows.get(row.row) ?? null;
        const render = renders.get(order?.render_id ?? '') ?? null;
        return { ...row, ...rowFaults(row, fields, check), check, order, render };
      }),
    [rows, checks.of, of_rows, renders, fields],
  );
  const readiness = useMemo(() => readinessOf(shown.filter(({ order }) => order === null)), [shown]);
  return { rows: shown, rowsOf, readiness, checks };
};
