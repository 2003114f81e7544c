import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { TableName } from './columns.ts';

type Rows = {
  readonly table: TableName;
  /** A UTC day like `2026-11-26`. */
  readonly day: string;
  readonly path: string;
  count: number;
  waiting: string[];
};

export type RowFiles = {
  readonly add: (table: TableName, day: string, row: string) => void;
  /** Writes the added rows to disk if at least MAX_WAITING of them wait. */
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<readonly Pick<Rows, 'table' | 'day' | 'path' | 'count'>[]>;
};

const MAX_WAITING = 10_000;

export const openRowFiles = (folder: string): RowFiles => {
  const files = new Map<string, Rows>();
  let waiting = 0;
  const flush = async (): Promise<void> => {
    await mkdir(folder, { recursive: true });
    for (const rows of files.values()) {
      if (rows.waiting.length === 0) continue;
      await appendFile(rows.path, rows.waiting.join(''));
      rows.waiting = [];
    }
    waiting = 0;
  };
  return {
    add: (table, day, row) => {
      const name = `${table}.${day}`;
      const path = join(folder, `${name}.jsonl`);
      const rows = files.get(name) ?? { table, day, path, count: 0, waiting: [] };
      files.set(name, rows);
      rows.waiting.push(row);
      rows.count += 1;
      waiting += 1;
    },
    flush: async () => {
      if (waiting >= MAX_WAITING) await flush();
    },
    close: async () => {
      await flush();
      return [...files.values()];
    },
  };
};
