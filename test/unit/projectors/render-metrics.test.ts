import { readFileSync } from 'node:fs';
import test from 'ava';
import type { RenderEvent } from '../../../domain/render/events.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { foldBatch } from '../../../projectors/render/fold-batch.ts';
import { createRenderMetrics } from '../../../projectors/render/render-metrics.ts';
import type { StatusToPublish } from '../../../projectors/render/status-record.ts';
import { dispatchMetrics } from '../../../render-workers/dispatcher/dispatch-metrics.ts';
import { batchEntries } from '../../helpers/batch-entries.ts';
import { sumOf } from '../../helpers/metrics.ts';
import {
  assigned,
  cancelled,
  completed,
  failed,
  finished,
  lost,
  prepared,
  progressed,
  requested,
} from '../../helpers/render-events.ts';

/** The `/metrics` after these events of one render, each a second after the one before. */
const after = async (...events: readonly RenderEvent[]): Promise<string> => {
  const registry = createMetrics('test');
  const metrics = createRenderMetrics(registry);
  const a_second_each = batchEntries(events).map((entry, i) => ({
    ...entry,
    record: { ...entry.record, append_time_ms: 1_000 * i },
  }));
  const { status }: { readonly status: readonly StatusToPublish[] } = foldBatch(new Map(), a_second_each).after;
  for (const published of status) metrics.accepted(published);
  return registry.metrics();
};

const LOST: RenderEvent = { ...lost('att_1', 'surroundings'), ...{ detail: 'disk_full' } };

test('a cancelled render counts under the stage in which it stopped', async (t) => {
  const told = await after(
    requested({ fold_version: 2 }),
    prepared,
    assigned('att_1', 1),
    progressed('att_1'),
    cancelled(),
  );
  t.is(sumOf(told, 'render_failures_total', { stage: 'rendering', code: 'cancelled' }), 1);
});

test('both outcomes start at 0', async (t) => {
  const nothing = await after();
  t.regex(nothing, /^renders_total\{outcome="complete",component="test"\} 0$/m);
  t.regex(nothing, /^renders_total\{outcome="failed",component="test"\} 0$/m);
});

test('a complete render counts once, with the time in each status', async (t) => {
  const told = await after(
    requested(),
    prepared,
    assigned('att_1', 1),
    progressed('att_1'),
    finished('att_1'),
    completed('att_1'),
  );
  t.is(sumOf(told, 'renders_total', { outcome: 'complete' }), 1);
  t.is(sumOf(told, 'renders_total', { outcome: 'failed' }), 0);
  for (const status of ['initializing', 'ready', 'queued', 'processing', 'finalizing']) {
    t.is(sumOf(told, 'render_status_duration_seconds_count', { status }), 1, status);
    t.is(sumOf(told, 'render_status_duration_seconds_sum', { status }), 1, status);
  }
  t.is(sumOf(told, 'render_status_duration_seconds_count'), 5, 'a render never leaves a final status');
});

test('a status spans lost attempts, and losses count by cause', async (t) => {
  const told = await after(
    requested(),
    prepared,
    assigned('att_1', 1),
    LOST,
    assigned('att_2', 2),
    lost('att_2'),
    lost('att_2'),
    assigned('att_3', 3),
    progressed('att_3'),
  );
  t.is(sumOf(told, 'render_status_duration_seconds_sum', { status: 'queued' }), 6);
  t.is(sumOf(told, 'render_attempts_lost_total', { reason: 'surroundings', detail: 'disk_full' }), 1);
  t.is(sumOf(told, 'render_attempts_lost_total', { reason: 'crashed', detail: 'none' }), 1);
  t.is(sumOf(told, 'render_attempts_lost_total'), 2, 'what the fold ignores does not count');
});

test('a failed render counts by stage and code', async (t) => {
  const told = await after(requested(), failed('preparer:prep_1', null), failed('preparer:prep_1', null), prepared);
  t.is(sumOf(told, 'renders_total', { outcome: 'failed' }), 1);
  t.is(sumOf(told, 'render_failures_total', { stage: 'rendering', code: 'font_unknown' }), 1);
  t.is(sumOf(told, 'render_failures_total'), 1);
});

test('no label has an id of an account, team, project or render', async (t) => {
  const told = await after(
    requested(),
    prepared,
    assigned('att_1', 1),
    lost('att_1', 'acc_01JD0000000000000000000001'),
  );
  t.notRegex(told, /="(acc|team|proj|rend|att|wkr|user)_/);
  t.is(sumOf(told, 'render_attempts_lost_total', { reason: 'other' }), 1);
});

test('every metric of renders is documented with a query or an alarm', (t) => {
  const registry = createMetrics('test');
  const before = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  createRenderMetrics(registry);
  dispatchMetrics(registry, () => null, SYSTEM_CLOCK);
  const names = registry.getMetricsAsArray().flatMap(({ name }) => (before.has(name) ? [] : [name]));
  t.is(names.length, 9);
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  for (const name of names) t.true(page.includes(`\`${name}\``), name);
  const queries = Array.from(page.matchAll(/```promql\n(.*?)```/gs), ([, block]) => block ?? '').join('\n');
  for (const name of names.filter((one) => one.startsWith('render'))) t.true(queries.includes(name), name);
});
