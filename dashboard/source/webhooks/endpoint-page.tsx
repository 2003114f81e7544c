import { Alert, Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { useRefetchInterval } from '../live/use-changes.ts';
import { FreshSignInAction } from '../session/fresh.tsx';
import { FreshSignInConfirmButton } from '../session/fresh-confirmed.tsx';
import { useHasRight } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { CopyableId } from '../shown/copyable-id.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { Folded } from '../shown/folded.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { StateBadge } from '../shown/mark.tsx';
import { Page } from '../shown/page.tsx';
import { Time } from '../shown/time.tsx';
import { ChooseEvents } from './choose-events.tsx';
import { Deliveries } from './deliveries.tsx';
import type { Delivery } from './delivery-columns.tsx';
import { expectedTest } from './expected-deliveries.ts';
import { RotateSecret } from './rotate-secret.tsx';

type Endpoint = Schemas['Endpoint'];

const DAY_MS = 86_400_000;
/** The refetch interval while no changes arrive by the stream. */
const FALLBACK_MS = 10_000;

const FROM = { enabling: 'disabled', disabling: 'enabled' } as const;

const WHY: Readonly<Record<string, string>> = {
  by_hand: 'A person disabled it.',
  gone: 'It returned status 410.',
  failing: 'Too many deliveries failed.',
};

type Path = { readonly team_id: string; readonly endpoint_id: string };

/** A change of the state that is requested, but not in effect yet. */
type Turning = 'enabling' | 'disabling';

type EndpointActionsProps = {
  readonly path: Path;
  readonly endpoint: Pick<Endpoint, 'state' | 'rotation' | 'events'>;
  readonly turn: (turning: Turning | null) => void;
  readonly expect: (delivery: Delivery) => void;
};

const EndpointActions = ({ path, endpoint, turn, expect }: EndpointActionsProps) => {
  const { state, rotation, events } = endpoint;
  const change = { params: { path }, body: {} } as const;
  const [repeated, setRepeated] = useState<number | null>(null);
  const sendTest = async () => {
    const { delivery_id } = await unwrapAnswer(
      api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/test', change),
    );
    expect(expectedTest(delivery_id, path.endpoint_id, events[0] ?? 'render.complete', Date.now()));
  };
  const deliverAgain = async () => {
    const { requested } = await unwrapAnswer(
      api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliver-again', {
        params: { path },
        body: { since: Date.now() - DAY_MS },
      }),
    );
    setRepeated(requested);
  };
  return (
    <Group gap="xs">
      {state === 'enabled' ? (
        <ConfirmButton
          label="Send a test"
          danger={false}
          title="Send a test?"
          says="Sends a signed delivery about a render that does not exist. It appears in the list below."
          act={sendTest}
        />
      ) : null}
      <FreshSignInAction name="rotate" label="Rotate secret" variant="default">
        {(shown) => <RotateSecret {...path} {...shown} />}
      </FreshSignInAction>
      {rotation === null ? null : (
        <FreshSignInConfirmButton
          name="end-rotation"
          label="End rotation"
          title="End the rotation?"
          says="Deliveries are signed only with the new secret."
          act={() =>
            unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/activate-secret', change))
          }
        />
      )}
      <ChooseEvents path={path} events={events} />
      <ConfirmButton
        label="Deliver again"
        danger={false}
        title="Deliver the last 24 hours again?"
        says="Sends each failed or skipped delivery of the last 24 hours again, oldest first. Clicking twice sends each once."
        act={deliverAgain}
      />
      {state === 'enabled' ? (
        <ConfirmButton
          key="disable"
          onPending={(is_pending) => turn(is_pending ? 'disabling' : null)}
          label="Disable"
          title="Disable this endpoint?"
          says="It gets no deliveries until you enable it. You can then deliver what it missed."
          act={() => unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/disable', change))}
        />
      ) : (
        <ConfirmButton
          key="enable"
          onPending={(is_pending) => turn(is_pending ? 'enabling' : null)}
          label="Enable"
          danger={false}
          title="Enable this endpoint?"
          says="It gets all new events."
          act={() => unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/enable', change))}
        />
      )}
      <FreshSignInConfirmButton
        name="delete"
        label="Delete"
        title="Delete this endpoint?"
        says="It gets no more deliveries. A new endpoint has a new secret. You cannot undo this."
        act={() => unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/delete', change))}
      />
      <Text size="sm" c="dimmed" role="status">
        {repeated === null
          ? null
          : repeated === 0
            ? 'All of them were already delivered again.'
            : `Sending ${repeated.toLocaleString()} ${repeated === 1 ? 'delivery' : 'deliveries'} again.`}
      </Text>
    </Group>
  );
};

const EndpointFacts = ({ endpoint }: { readonly endpoint: Endpoint }) => (
  <PropertyList
    facts={[
      ['Events', endpoint.events.join(', ')],
      ['Created', <Time key="made" at={endpoint.created_at} />],
      [
        'Secret',
        endpoint.rotation === null ? (
          'One active secret'
        ) : (
          <>
            Two active secrets until <Time at={endpoint.rotation.until} />
          </>
        ),
      ],
    ]}
  />
);

export const EndpointPage = ({ team_id, endpoint_id }: { readonly team_id: string; readonly endpoint_id: string }) => {
  const may_manage = useHasRight(team_id, 'manage_endpoints');
  const path = { team_id, endpoint_id };
  const [turning, setTurning] = useState<Turning | null>(null);
  const [expected, setExpected] = useState<readonly Delivery[]>([]);
  const expect = (delivery: Delivery) => setExpected((before) => [delivery, ...before]);
  const { data, error, refetch } = useQuery({
    queryKey: ['endpoint', endpoint_id],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/endpoints/{endpoint_id}', { params: { path } })),
    refetchInterval: useRefetchInterval(FALLBACK_MS),
  });
  if (data === undefined)
    return (
      <Page title="Webhook endpoint">
        <LoadingState error={error} retry={refetch} />
      </Page>
    );
  return (
    <Page
      title={data.url}
      trail={[{ label: 'Webhooks', to: `/teams/${team_id}/webhooks` }]}
      about={<StateBadge word={turning !== null && data.state === FROM[turning] ? turning : data.state} />}
    >
      <ErrorMessage error={error} retry={refetch} />
      {data.disabled === null ? null : (
        <Alert color="orange" title="This endpoint is disabled.">
          {WHY[data.disabled.reason] ?? data.disabled.reason} Since <Time at={data.disabled.since} />.
        </Alert>
      )}
      {data.failing === null ? null : (
        <Alert color="red" title="This endpoint is failing.">
          {data.failing.exhausted} deliveries failed since <Time at={data.failing.since} />. Check the responses below,
          fix your receiver, then deliver again.
        </Alert>
      )}
      {may_manage && data.state !== 'deleted' ? (
        <EndpointActions path={path} endpoint={data} turn={setTurning} expect={expect} />
      ) : null}
      <Paper withBorder p="md">
        <EndpointFacts endpoint={data} />
      </Paper>
      <Title order={2} size="h3">
        Deliveries
      </Title>
      <Deliveries {...path} expected={expected} />
      <Folded title="Technical details">
        <PropertyList facts={[['Endpoint', <CopyableId key="id" id={endpoint_id} />]]} />
      </Folded>
    </Page>
  );
};
