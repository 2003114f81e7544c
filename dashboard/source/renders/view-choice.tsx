import { SegmentedControl } from '@mantine/core';

const VIEWS = [
  { value: 'table', label: 'Table' },
  { value: 'cards', label: 'Cards' },
];

export const ViewChoice = (props: { readonly view: string; readonly choose: (view: string) => void }) => (
  <SegmentedControl
    size="xs"
    w="fit-content"
    aria-label="View"
    data={VIEWS}
    value={props.view}
    onChange={props.choose}
  />
);
