import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as E from 'fp-ts/lib/Either.js';
import { withDuckDb } from '../cli/log/duckdb.ts';
import { exportLog } from '../cli/log/export/export-log.ts';
import { readManifest } from '../cli/log/export/manifest.ts';
import { mergeByAppendTime } from '../cli/log/merged.ts';
import { type OffsetRange, offsetRangesOf } from '../cli/log/ranges.ts';
import { openTables } from '../cli/log/sql/open-tables.ts';
import { runSql } from '../cli/log/sql/run-sql.ts';
import type { Stack } from '../stack/launcher.ts';
import type { StackClients } from '../stack/testing/stack-clients.ts';
import { type BenchmarkResult, millisecondsText } from './figures.ts';
import { lifecycleEvents } from './render-lives.ts';
import { measureTime, type TimedResult } from './timed.ts';

/** `LOG_RENDERS=125000` gives a log of a million events. */
const LIVES = Number(process.env.LOG_RENDERS ?? 20_000);
const LIVES_AT_ONCE = 500;
const SELECTION = { topics: ['render-events'] } as const;
const AGGREGATE = `select date_trunc('hour', c.log_time) as hour, r.account_id, count(*) as renders, sum(p.price_credits) as credits,
  quantile_cont(date_diff('ms', r.log_time, c.log_time), 0.99) as p99_ms
  from RenderRequested r join RenderPrepared p using (render_id) join RenderCompleted c using (render_id) group by all`;

const rightOf = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

const fill = async ({ records }: StackClients): Promise<void> => {
  for (let made = 0; made < LIVES; made += LIVES_AT_ONCE) {
    const events = lifecycleEvents(Math.min(LIVES_AT_ONCE, LIVES - made));
    const appends = events.map((event) => records.append('render-events', event.render_id, event));
    for (const appended of await Promise.all(appends)) rightOf(appended);
  }
};

const counted = async (records: AsyncIterable<unknown>): Promise<number> => {
  let count = 0;
  for await (const _ of records) count += 1;
  return count;
};

export const benchLog = async (stack: Stack, clients: StackClients): Promise<readonly BenchmarkResult[]> => {
  const projectors = stack.component('projectors');
  const folder = await mkdtemp(join(tmpdir(), 'bench-log-'));
  projectors.kill('SIGSTOP');
  try {
    await fill(clients);
    const { records } = clients;
    const ranges: readonly OffsetRange[] = rightOf(await offsetRangesOf(records.log, SELECTION));
    const bare = await measureTime(() => counted(mergeByAppendTime(records.log, ranges)));
    const per = (time_ms: number): number => Math.round((bare.result * 1_000) / time_ms);
    const rate = ({ took_ms, cpu_ms }: TimedResult<unknown>): string =>
      `${per(took_ms)} events/s, ${per(cpu_ms)} for a second of a core`;
    let most_bytes = 0;
    const before_bytes = process.memoryUsage.rss();
    const exporting = await measureTime(() =>
      exportLog({
        ...{ records, folder, selection: SELECTION, stop: new AbortController().signal },
        on_progress: () => {
          most_bytes = Math.max(most_bytes, process.memoryUsage.rss());
        },
      }),
    );
    rightOf(exporting.result);
    const manifest = rightOf(await readManifest(folder));
    const asked = await withDuckDb(join(folder, 'spill'), async (connection) => {
      await openTables(connection, folder, manifest);
      return await measureTime(() => runSql(connection, AGGREGATE, new AbortController().signal));
    });
    rightOf(asked.result);
    const grown = Math.round((most_bytes - before_bytes) / 2 ** 20);
    return [
      [`a bare read of ${bare.result} events`, rate(bare), ''],
      ['log export --parquet', `${rate(exporting)}, ${grown} MB more`, 'at least 15,000 events/s'],
      ['log sql: joins and aggregates of all of them', millisecondsText(asked.took_ms), ''],
    ];
  } finally {
    projectors.kill('SIGCONT');
    await rm(folder, { recursive: true, force: true });
  }
};
