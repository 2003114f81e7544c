import { Text, Timeline } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { duration, Time } from '../shown/time.tsx';
import { isFinal, type Status } from './statuses.ts';

type Render = Schemas['RenderWithTransitions'];

const SAYS: Readonly<Record<Status, string>> = {
  initializing: 'Requested: the project is read and checked',
  ready: 'Checked and prepared',
  queued: 'Waits for a worker',
  processing: 'Is being rendered',
  finalizing: 'Everything is rendered, files are stored',
  complete: 'Done',
  failed: 'Ended without a video',
};

/** Every change of status, with the time until the next one and whose attempt it was. */
export const StatusTimeline = ({ render }: { readonly render: Render }) => {
  const { transitions, attempts } = render;
  const worker = (n: number | null) => attempts.find((one) => one.n === n);
  return (
    <Timeline
      active={transitions.length - 1}
      bulletSize={16}
      lineWidth={2}
      component="ol"
      style={{ listStyle: 'none' }}
    >
      {transitions.map(({ seq, status, at, attempt }, index) => {
        const next = transitions[index + 1];
        const by = worker(attempt);
        return (
          <Timeline.Item key={seq} title={status} component="li" color={status === 'failed' ? 'red' : 'indigo'}>
            <Text size="sm">{SAYS[status]}</Text>
            <Text size="sm" c="dimmed" component="div">
              <Time at={at} />
              {next !== undefined
                ? ` · ${duration(next.at - at)} until ${next.status}`
                : isFinal(status)
                  ? ''
                  : ' · now'}
            </Text>
            {attempt === null ? null : (
              <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                Attempt {attempt}
                {by === undefined ? '' : ` on ${by.worker_id}`}
                {by === undefined || by.lost === null ? '' : `, which was lost: ${by.lost}`}
              </Text>
            )}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
};
