import { Button, Modal, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, taken } from '../api/client.ts';
import { Pending } from '../shown/loaded.tsx';
import { Copied } from '../shown/secret.tsx';

type Requested = Schemas['RequestedRender'];

/** In single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const line = ({ name, project_id, template_id, values }: Requested): string => {
  const body = { name, project_id, ...(template_id !== null && { template_id, values }) };
  return `curl -X POST ${window.location.origin}/v1/renders \\
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: ${crypto.randomUUID()}" \\
  -d ${quoted(JSON.stringify(body, null, 2))}`;
};

const Request = ({ team_id, render_id }: { readonly team_id: string; readonly render_id: string }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['request', render_id],
    queryFn: async () => {
      const requested = await taken(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/request', { params: { path: { team_id, render_id } } }),
      );
      // Made once: the same key makes one render, however often it is sent.
      return { values: requested.values, command: line(requested) };
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (data === undefined) return <Pending error={error} retry={refetch} />;
  if (data.values === null) return <Text size="sm">Its values are no longer kept.</Text>;
  return (
    <Stack>
      <Text size="sm">
        Change the values where they shall differ, and send it with a key of the team. Sent twice as it stands, it makes
        one render.
      </Text>
      <Copied label="Render again with these values" text={data.command} />
    </Stack>
  );
};

/** What was asked for, as a request to be sent again. */
export const RenderAgain = (props: { readonly team_id: string; readonly render_id: string }) => {
  const [opened, setOpened] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        Render again
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title="Render again with these values" size="lg">
        <Request {...props} />
      </Modal>
    </>
  );
};
