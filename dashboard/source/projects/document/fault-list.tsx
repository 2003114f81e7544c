import { Alert, Code, List } from '@mantine/core';
import type { DocumentFault } from './refusals.ts';

const SHOWN = 20;

export const FaultList = (props: { readonly title: string; readonly faults: readonly DocumentFault[] }) => {
  const { title, faults } = props;
  const more = faults.length - SHOWN;
  return (
    <Alert color="red" title={title} role="alert">
      <List size="sm" spacing={4}>
        {faults.slice(0, SHOWN).map(({ path, message }) => (
          <List.Item key={`${path} ${message}`} style={{ overflowWrap: 'anywhere' }}>
            {path === '' ? null : <Code>{path}</Code>} {message}
          </List.Item>
        ))}
        {more > 0 ? <List.Item>And {more} more.</List.Item> : null}
      </List>
    </Alert>
  );
};
