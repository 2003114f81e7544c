import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { CSV_FORM } from './csv-form.ts';
import { ErrorMessage } from './fault.tsx';
import { saveBlob } from './save-blob.ts';

export type ListPage<A> = { readonly data: readonly A[]; readonly next_cursor: string | null };

/** A spreadsheet opens about a million lines, and the browser keeps the whole file in memory. */
const MAX_LINES = 200_000;

/**
 * Reads every page of a list and saves it as CSV.
 *
 * @param read reads one page, starting at a cursor
 * @param columns the names of the columns
 */
export const CsvDownload = <A,>(props: {
  readonly file_name: string;
  readonly columns: readonly string[];
  readonly read: (cursor: string | null) => Promise<ListPage<A>>;
  readonly rowOf: (element: A) => Readonly<Record<string, string | number | null>>;
}) => {
  const { file_name, columns, read, rowOf } = props;
  const [lines, setLines] = useState(0);
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: async () => {
      const { stringify } = await import('csv-stringify/browser/esm/sync');
      const parts: string[] = [stringify([], { header: true, columns: [...columns], ...CSV_FORM })];
      let cursor: string | null = null;
      let count = 0;
      do {
        const page: ListPage<A> = await read(cursor);
        parts.push(stringify(page.data.map(rowOf), { columns: [...columns], ...CSV_FORM }));
        count += page.data.length;
        setLines(count);
        cursor = page.next_cursor;
      } while (cursor !== null && count < MAX_LINES);
      saveBlob(new Blob(parts, { type: 'text/csv;charset=utf-8' }), file_name);
      return cursor === null;
    },
  });
  return (
    <>
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        Download CSV
      </Button>
      <Group role="status">
        {isPending ? <Text size="sm">{lines.toLocaleString()} rows read</Text> : null}
        {data === false ? (
          <Text size="sm">
            The file has the first {lines.toLocaleString()} rows. Choose a shorter period for the rest.
          </Text>
        ) : null}
      </Group>
      <ErrorMessage error={error} />
    </>
  );
};
