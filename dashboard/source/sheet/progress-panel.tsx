import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { creditsText } from '../account/credits-query.ts';
import { ApiRefusal } from '../api/client.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { counted, type Readiness } from './counts.ts';
import { filmFileName, plainFileName } from './file-names.ts';
import { isFailed, type ShownRow } from './rows-table.tsx';
import { type Film, saveZip, ZipFault } from './save-zip.ts';
import { isPending } from './sheet.ts';
import type { Sending } from './sheet-store.ts';

const isCancelled = (error: Error | null): boolean => error instanceof DOMException && error.name === 'AbortError';

const ZipButton = (props: {
  readonly team_id: string;
  readonly films: readonly Film[];
  readonly file_name: string;
}) => {
  const { team_id, films, file_name } = props;
  const [done, setDone] = useState(0);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const {
    mutate,
    isPending: is_saving,
    error,
  } = useMutation({
    mutationFn: async () => {
      const own = new AbortController();
      running.current = own;
      setDone(0);
      await saveZip({ team_id, films, tell: setDone, signal: own.signal }, file_name);
    },
  });
  return (
    <Stack gap={4} align="flex-end">
      <Group gap="xs">
        <Text size="sm" role="status" className="figure">
          {is_saving ? `${done.toLocaleString()} of ${films.length.toLocaleString()} videos in the ZIP` : ''}
        </Text>
        {is_saving ? (
          <Button variant="subtle" onClick={() => running.current?.abort()}>
            Cancel
          </Button>
        ) : null}
        <Button loading={is_saving} disabled={films.length === 0} onClick={() => mutate()}>
          Download ZIP of {counted(films.length, 'video')}
        </Button>
      </Group>
      {error instanceof ZipFault ? (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      ) : isCancelled(error) ? null : (
        <ErrorMessage error={error} />
      )}
    </Stack>
  );
};

const waitingText = (error: Error): string =>
  error instanceof ApiRefusal
    ? error.status === 429
      ? 'The service accepts more rows in a moment.'
      : 'The service is busy. The other rows are sent again in a moment.'
    : navigator.onLine
      ? 'The service is not responding. The other rows are sent again in a moment.'
      : 'You are offline. The other rows are sent when you are connected.';

const Acceptance = (props: {
  readonly sending: Sending;
  readonly pending: number;
  readonly total: number;
  /** Rows that are neither complete nor failed. */
  readonly in_progress: number;
  readonly is_kept: boolean;
  readonly resume: () => void;
}) => {
  const { sending, pending, total, in_progress, is_kept, resume } = props;
  if (pending === 0)
    return (
      <Text size="sm" role="status">
        {in_progress === 0
          ? 'All rows have ended.'
          : `${counted(total, 'row is', 'rows are')} sent. Rendering continues if you close this tab.`}
      </Text>
    );
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        Keep this tab open until all rows are accepted: {(total - pending).toLocaleString()} of {total.toLocaleString()}
        .{' '}
        {is_kept
          ? 'If you close it, open this page again to continue.'
          : 'This browser has no space to keep the sheet.'}{' '}
        {sending.tag === 'waiting' ? waitingText(sending.error) : ''}
      </Text>
      <Progress value={((total - pending) / total) * 100} animated aria-label="Accepted rows" />
      {sending.tag === 'stopped' ? <ErrorMessage error={sending.error} retry={resume} /> : null}
    </Stack>
  );
};

/** How the ordered rows move, and what can be done with them. */
export const ProgressPanel = (props: {
  readonly team_id: string;
  readonly project_name: string;
  readonly rows: readonly ShownRow[];
  readonly sending: Sending;
  readonly is_kept: boolean;
  readonly resume: () => void;
  /** Renders rows that failed, or that were left out. */
  readonly renderRows: (rows: readonly number[]) => void;
  /** Rows that were left out, and have no fault any longer. */
  readonly corrected: Readiness;
  readonly startOver: () => void;
}) => {
  const { team_id, project_name, rows, sending, is_kept, resume, renderRows, corrected, startOver } = props;
  const ordered = rows.filter(({ order }) => order !== null);
  const pending = ordered.filter(({ order }) => order !== null && isPending(order)).length;
  const failed = ordered.filter(isFailed);
  const correctable = failed.filter(({ faults }) => faults.size === 0);
  const films = ordered.flatMap(({ row, name, render }) =>
    render?.status === 'complete' ? [{ render_id: render.id, file_name: filmFileName(row, name) }] : [],
  );
  const in_progress = ordered.length - films.length - failed.length;
  const left_out = rows.length - ordered.length;
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Acceptance {...{ sending, pending, in_progress, is_kept, resume }} total={ordered.length} />
        <Progress.Root aria-hidden>
          <Progress.Section value={(films.length / ordered.length) * 100} color="green" />
          <Progress.Section value={(failed.length / ordered.length) * 100} color="red" />
        </Progress.Root>
        <Text size="sm" className="figure" role="status">
          {films.length.toLocaleString()} complete, {in_progress.toLocaleString()} in progress,{' '}
          {failed.length.toLocaleString()} failed
          {left_out === 0 ? '' : `, ${left_out.toLocaleString()} left out`}
        </Text>
        <Group justify="flex-end" gap="xs" align="flex-start">
          <ConfirmButton
            label="New sheet"
            danger={pending > 0}
            title="Begin a new sheet?"
            says={
              pending === 0
                ? 'The videos stay in the list of renders. This page forgets which row each one belongs to.'
                : `${counted(pending, 'row is', 'rows are')} not accepted yet, and will not be rendered.`
            }
            act={async () => startOver()}
          />
          {corrected.valid.length === 0 ? null : (
            <Button variant="default" onClick={() => renderRows(corrected.valid)}>
              Render {corrected.valid.length.toLocaleString()} more for {creditsText(corrected.price)}
            </Button>
          )}
          {failed.length === 0 ? null : (
            <Button
              variant="default"
              disabled={correctable.length === 0}
              onClick={() => renderRows(correctable.map(({ row }) => row))}
            >
              Render the failed again ({correctable.length.toLocaleString()})
            </Button>
          )}
          <ZipButton {...{ team_id, films }} file_name={`${plainFileName(project_name) || 'videos'}.zip`} />
        </Group>
      </Stack>
    </Paper>
  );
};
