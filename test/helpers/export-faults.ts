import type { EventLog } from '../../platform/event-log/event-log.ts';
import type { Call } from './renderctl.ts';

type Line = { readonly [name: string]: unknown };

export const sqlOfExport = async (
  renderctl: (...args: readonly string[]) => Promise<Call>,
  folder: string,
  statement: string,
): Promise<readonly Line[]> => {
  const { exit_code, stdout, stderr } = await renderctl('log', 'sql', statement, '--export', folder, '--json');
  if (exit_code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

export const exportFaults = async (
  renderctl: (...args: readonly string[]) => Promise<Call>,
  log: Pick<EventLog, 'bounds'>,
  folder: string,
): Promise<readonly string[]> => {
  const tables = await sqlOfExport(
    renderctl,
    folder,
    `select view_name from duckdb_views
     where not internal and schema_name = 'main' and view_name not in ('renders', 'attempts')`,
  );
  const all = tables.map(({ view_name }) => `select log_topic, log_partition, log_offset from "${view_name}"`);
  const found = await sqlOfExport(
    renderctl,
    folder,
    `select log_topic, log_partition, count(*) as records, count(distinct log_offset) as offsets, max(log_offset) as last
     from (${all.join(' union all ')}) group by all`,
  );
  const faults: string[] = [];
  for (const topic of ['render-events', 'render-status', 'catalogue-events', 'webhook-events'])
    for (const { partition, end } of await log.bounds(topic)) {
      const own = found.find((one) => one.log_topic === topic && one.log_partition === partition);
      const { records = 0, offsets = 0, last = -1 } = own ?? {};
      if (records !== end || offsets !== end || last !== end - 1)
        faults.push(`${topic}/${partition} ends at ${end}: ${records} rows of ${offsets} offsets up to ${last}`);
    }
  return faults;
};
