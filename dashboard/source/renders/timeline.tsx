import { Text, Timeline } from '@mantine/core';
import type { Schemas } from '../api/client.ts';
import { Time } from '../shown/time.tsx';
import { duration } from '../shown/time-text.ts';
import { stateWord } from './state-word.ts';
import { isFinal, type Status } from './statuses.ts';

type Render = Schemas['RenderWithTransitions'];

const SAYS: Readonly<Record<Status, string>> = {
  initializing: 'The project is being read and checked',
  ready: 'The project is checked and prepared',
  queued: 'Waiting for a worker',
  processing: 'A worker renders the video',
  finalizing: 'The video is rendered and is being stored',
  complete: 'The video is ready',
  failed: 'The render ended without a video',
};

const COLORS: Readonly<Record<string, string>> = { failed: 'red', cancelled: 'gray' };

/** The status changes, each with its duration and its attempt. */
export const StatusTimeline = ({ render }: { readonly render: Render }) => {
  const { transitions, attempts } = render;
  const shown = (status: Status): string => (status === 'failed' ? stateWord(render) : status);
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
          <Timeline.Item
            key={seq}
            title={<span className="word">{shown(status)}</span>}
            component="li"
            color={COLORS[shown(status)] ?? 'indigo'}
          >
            <Text size="sm">{shown(status) === 'cancelled' ? 'The render was cancelled' : SAYS[status]}</Text>
            <Text size="sm" c="dimmed" component="div">
              <Time at={at} />
              {next !== undefined
                ? ` · ${duration(next.at - at)} until ${shown(next.status)}`
                : isFinal(status)
                  ? ''
                  : ' · now'}
            </Text>
            {attempt === null ? null : (
              <Text size="sm" c="dimmed" title={by?.worker_id} style={{ overflowWrap: 'anywhere' }}>
                Attempt {attempt}
                {by === undefined || by.lost === null ? '' : `, which was lost: ${by.lost}`}
              </Text>
            )}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
};
