import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export type Column<A> = { readonly name: string; readonly cell: (row: A) => ReactNode };

/** The minimum width of a cell, so that a phone does not break the words of a name. */
const NARROWEST_PX = 100;

/** Scrolls sideways in a narrow window. @param label describes the rows */
export const DataTable = <A,>(props: {
  readonly label: string;
  readonly rows: readonly A[];
  readonly keyOf: (row: A) => string;
  readonly columns: readonly Column<A>[];
}) => {
  const { label, rows, keyOf, columns } = props;
  return (
    <Table.ScrollContainer minWidth={columns.length * 110} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table verticalSpacing="sm" highlightOnHover aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name }) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ name, cell }) => (
                <Table.Td key={name} miw={NARROWEST_PX}>
                  {cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
};
