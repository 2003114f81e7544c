import { Code, Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { CopyableId } from '../shown/copyable-id.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { Folded } from '../shown/folded.tsx';
import { prettyJson, requestHeaders } from './request-text.ts';

type Delivery = Schemas['LoggedDelivery'];

const WRAPPED = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;

/** The payload and the headers that the receiver gets. */
export const DeliveryRequest = ({ delivery }: { readonly delivery: Delivery }) => {
  const { id, body, body_sha256 } = delivery;
  return (
    <Paper withBorder p="md" component="section" aria-label="Request">
      <Stack gap="sm">
        <Title order={2} size="h4">
          Payload
        </Title>
        {body === null ? (
          <Text size="sm" c="dimmed">
            {body_sha256 === null
              ? 'Nothing was sent.'
              : 'The payload is deleted when the delivery ends. Deliver it again to send the current one.'}
          </Text>
        ) : (
          <Code block tabIndex={0} mah={360} style={{ ...WRAPPED, overflow: 'auto' }}>
            {prettyJson(body)}
          </Code>
        )}
        <Folded title="Headers">
          <Table.ScrollContainer minWidth={300} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label="Headers">
              <Table.Tbody>
                {requestHeaders(delivery).map(([name, value]) => (
                  <Table.Tr key={name}>
                    <Table.Th>{name}</Table.Th>
                    <Table.Td>
                      <Code style={WRAPPED}>{value}</Code>
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Folded>
        <Folded title="Technical details">
          <PropertyList
            facts={[
              ['Delivery', <CopyableId key="id" id={id} />],
              ['Endpoint', <CopyableId key="endpoint" id={delivery.endpoint_id} />],
              ['SHA-256 of the payload', body_sha256 === null ? '–' : <CopyableId key="sha" id={body_sha256} />],
            ]}
          />
        </Folded>
      </Stack>
    </Paper>
  );
};
