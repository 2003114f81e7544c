import type { NamedProject } from '../../domain/catalogue/entities.ts';
import type { List } from '../page.ts';
import type { FindVersionRows, VersionRow } from './version-rows.ts';

const DIGITS = 10;

const positionOf = (version: number): string => String(version).padStart(DIGITS, '0');

/** The versions of a project, newest first. Their numbers have no gaps, so a page is a range of ids. */
export const versionList = (
  findVersionRows: FindVersionRows,
  { id, version: newest }: Pick<NamedProject, 'id' | 'version'>,
): List<VersionRow> => ({
  ...{ endpoint: 'versions', scope: id, status: null },
  areSearchable: async () => true,
  read: async (from, count) => {
    const first = from === null ? newest : Math.min(newest, Number(from.position) - 1);
    const numbers = Array.from({ length: Math.min(count, Math.max(0, first)) }, (_, n) => first - n);
    const found = new Map((await findVersionRows(id, numbers)).map((row) => [row.version, row]));
    return numbers.flatMap((number) => {
      const element = found.get(number);
      return element === undefined ? [] : [{ element, tier: 0, position: positionOf(number) }];
    });
  },
});
