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
  replaced: 'orange',
  'has a fault': 'orange',
  refused: 'red',
  sending: 'blue',
  processing: 'blue',
  finalizing: 'blue',
  pending: 'blue',
  enabling: 'blue',
  disabling: 'blue',
  test: 'grape',
};

/** The state is a word, because colour must not be its only sign. */
export const StateBadge = ({ word }: { readonly word: string }) => (
  <Badge variant="light" color={COLORS[word] ?? 'gray'} radius="sm" tt="none" miw="max-content" className="mark">
    {word.replaceAll('_', ' ')}
  </Badge>
);
