import { Badge } from '@mantine/core';

const COLORS: Readonly<Record<string, string>> = {
  complete: 'green',
  succeeded: 'green',
  active: 'green',
  enabled: 'green',
  offering: 'green',
  failed: 'red',
  exhausted: 'red',
  revoked: 'red',
  set_aside: 'red',
  disabled: 'orange',
  impeded: 'orange',
  skipped: 'orange',
  processing: 'blue',
  finalizing: 'blue',
  pending: 'blue',
};

/** A state in one word, which is never told by its colour alone. */
export const Mark = ({ word }: { readonly word: string }) => (
  <Badge variant="light" color={COLORS[word] ?? 'gray'} radius="sm" tt="none" miw="max-content" className="mark">
    {word.replaceAll('_', ' ')}
  </Badge>
);
