import { Checkbox, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

export type Column<A> = { readonly name: string; readonly cell: (row: A) => ReactNode };

/** The keys of the chosen rows. */
export type Selection = {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (chosen: ReadonlySet<string>) => void;
};

type Rows<A> = {
  /** Describes the rows. */
  readonly label: string;
  readonly rows: readonly A[];
  readonly keyOf: (row: A) => string;
  /** Names a row for a screen reader. Needed with `selection`. */
  readonly nameOf?: (row: A) => string;
  readonly selection?: Selection;
  readonly columns: readonly Column<A>[];
};

/** The minimum width of a cell, so that a phone does not break the words of a name. */
const NARROWEST_PX = 100;

/** Below this width a table would scroll sideways. */
const PHONE = '(max-width: 36em)';

const withRow = (chosen: ReadonlySet<string>, key: string, is_chosen: boolean): ReadonlySet<string> => {
  const others = [...chosen].filter((one) => one !== key);
  return new Set(is_chosen ? [...others, key] : others);
};

const ChooseRow = (props: { readonly selection: Selection; readonly row: string; readonly name: string }) => {
  const { selection, row, name } = props;
  const { chosen, choose } = selection;
  return (
    <Checkbox
      aria-label={`Select ${name}`}
      checked={chosen.has(row)}
      onChange={({ currentTarget }) => choose(withRow(chosen, row, currentTarget.checked))}
    />
  );
};

const ChooseAll = ({ selection, keys }: { readonly selection: Selection; readonly keys: readonly string[] }) => {
  const { chosen, choose } = selection;
  const count = keys.filter((key) => chosen.has(key)).length;
  return (
    <Checkbox
      aria-label="Select all on this page"
      checked={count > 0 && count === keys.length}
      indeterminate={count > 0 && count < keys.length}
      onChange={({ currentTarget }) => choose(new Set(currentTarget.checked ? keys : []))}
    />
  );
};

const Cards = <A,>({ label, rows, keyOf, nameOf = keyOf, selection, columns }: Rows<A>) => (
  <Stack component="ul" gap="sm" p={0} m={0} aria-label={label} style={{ listStyle: 'none' }}>
    {rows.map((row) => (
      <Paper component="li" withBorder p="sm" key={keyOf(row)}>
        <Stack gap={6}>
          {selection === undefined ? null : <ChooseRow selection={selection} row={keyOf(row)} name={nameOf(row)} />}
          {columns.map(({ name, cell }) => (
            <Group key={name} justify="space-between" align="flex-start" wrap="nowrap" gap="md">
              <Text size="sm" c="dimmed" style={{ flexShrink: 0 }}>
                {name}
              </Text>
              <Text size="sm" component="div" ta="right" miw={0} style={{ overflowWrap: 'anywhere' }}>
                {cell(row)}
              </Text>
            </Group>
          ))}
        </Stack>
      </Paper>
    ))}
  </Stack>
);

const Lines = <A,>({ label, rows, keyOf, nameOf = keyOf, selection, columns }: Rows<A>) => (
  <Table.ScrollContainer minWidth={columns.length * 110} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
    <Table verticalSpacing="sm" highlightOnHover aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {selection === undefined ? null : (
            <Table.Th w={40}>
              <ChooseAll selection={selection} keys={rows.map(keyOf)} />
            </Table.Th>
          )}
          {columns.map(({ name }) => (
            <Table.Th key={name}>{name}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={keyOf(row)}>
            {selection === undefined ? null : (
              <Table.Td>
                <ChooseRow selection={selection} row={keyOf(row)} name={nameOf(row)} />
              </Table.Td>
            )}
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

/** A table, or on a phone a card for each row. */
export const DataTable = <A,>(props: Rows<A>) => {
  const is_phone = useMediaQuery(PHONE) ?? false;
  return is_phone ? <Cards {...props} /> : <Lines {...props} />;
};
