import { Button } from '@mantine/core';
import { EmptyList } from './empty.tsx';

/** An empty list whose filters exclude everything. @param what the rows, in the plural */
export const NoMatch = ({ what, clear }: { readonly what: string; readonly clear: () => void }) => (
  <EmptyList title={`No ${what} match.`}>
    <Button variant="default" size="xs" onClick={clear}>
      Clear filters
    </Button>
  </EmptyList>
);
