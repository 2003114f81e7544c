import { Button, Group } from '@mantine/core';
import { useState } from 'react';

/** The current position in a paged list. */
export type PagePosition = {
  readonly cursor: string | null;
  readonly show: (cursor: string) => void;
  readonly back: () => void;
};

/** @param list identifies the list; another list begins at its first page */
export const usePagePosition = (list: string): PagePosition => {
  const [seen, setSeen] = useState<{ readonly list: string; readonly cursors: readonly string[] }>({
    list,
    cursors: [],
  });
  const cursors = seen.list === list ? seen.cursors : [];
  return {
    cursor: cursors.at(-1) ?? null,
    show: (cursor) => setSeen({ list, cursors: [...cursors, cursor] }),
    back: () => setSeen({ list, cursors: cursors.slice(0, -1) }),
  };
};

export const pageQuery = (cursor: string | null, limit = 25) => ({ limit, ...(cursor !== null && { cursor }) });

export const Pager = (props: {
  readonly place: PagePosition;
  readonly next: string | null;
  readonly first?: string;
  readonly then?: string;
}) => {
  const { place, next, first = 'Newer', then = 'Older' } = props;
  return place.cursor === null && next === null ? null : (
    <Group justify="flex-end" component="nav" aria-label="Pages">
      <Button variant="default" size="xs" disabled={place.cursor === null} onClick={place.back}>
        {first}
      </Button>
      <Button variant="default" size="xs" disabled={next === null} onClick={() => next !== null && place.show(next)}>
        {then}
      </Button>
    </Group>
  );
};
