import { Button, Checkbox, Stack } from '@mantine/core';
import { useState } from 'react';
import { api, unwrapAnswer } from '../api/client.ts';
import { FormDialog } from '../shown/form-dialog.tsx';
import { EVENTS, type Event, knownEvents } from './events.ts';

export const ChooseEvents = (props: {
  readonly path: { readonly team_id: string; readonly endpoint_id: string };
  readonly events: readonly string[];
}) => {
  const { path, events } = props;
  const [chosen, setChosen] = useState<Event[] | null>(null);
  return (
    <>
      <Button variant="default" onClick={() => setChosen(knownEvents(events))}>
        Choose events
      </Button>
      <FormDialog
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title="Events of this endpoint"
        label="Save"
        ready={chosen !== null && chosen.length > 0}
        send={() =>
          unwrapAnswer(
            api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/events', {
              params: { path },
              body: { events: chosen ?? [] },
            }),
          )
        }
      >
        <Checkbox.Group label="Events" value={chosen ?? []} onChange={(value) => setChosen(knownEvents(value))}>
          <Stack gap="xs" mt="xs">
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={event} />
            ))}
          </Stack>
        </Checkbox.Group>
      </FormDialog>
    </>
  );
};
