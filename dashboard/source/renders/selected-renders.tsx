import { Button, Group, Paper, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { FreshSignInConfirmButton } from '../session/fresh-confirmed.tsx';
import { useHasRight } from '../session/me.ts';
import { ConfirmButton } from '../shown/confirmed.tsx';
import { ErrorMessage } from '../shown/fault.tsx';
import { isFinal } from './statuses.ts';

type Listed = Schemas['ListedRender'];
type Act = (params: { readonly path: { readonly team_id: string; readonly render_id: string } }) => Promise<unknown>;

const counted = (count: number): string => (count === 1 ? '1 render' : `${count} renders`);

/** One after another, so that many renders do not use up the rate limit of the session at once. */
const forEach = async (team_id: string, renders: readonly Listed[], act: Act): Promise<void> => {
  for (const { id } of renders) await act({ path: { team_id, render_id: id } });
};

const cancel: Act = (params) =>
  unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/renders/{render_id}/cancel', { params, body: {} }));

const erase: Act = (params) =>
  unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/renders/{render_id}/erase', { params, body: {} }));

/** The browser stores each file, because the signed URL says that it is an attachment. */
const download: Act = async (params) => {
  const { files } = await unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/files', { params }));
  const [file] = files;
  if (file === undefined) return;
  const link = document.createElement('a');
  link.href = file.url;
  link.download = '';
  link.click();
};

/** Changes the chosen renders of a page. Each button applies to those renders that it can change. */
export const SelectedRenders = (props: {
  readonly team_id: string;
  readonly renders: readonly Listed[];
  readonly clear: () => void;
}) => {
  const { team_id, renders, clear } = props;
  const complete = renders.filter(({ status }) => status === 'complete');
  const open = renders.filter(({ status }) => !isFinal(status));
  const over = renders.filter(({ status }) => isFinal(status));
  const may_cancel = useHasRight(team_id, 'cancel_renders');
  const may_erase = useHasRight(team_id, 'erase_renders');
  const { mutate, isPending, error } = useMutation({ mutationFn: () => forEach(team_id, complete, download) });
  return (
    <Paper withBorder p="sm" role="region" aria-label="Selected renders">
      <Group justify="space-between">
        <Text size="sm" role="status">
          {counted(renders.length)} selected
        </Text>
        <Group gap="xs">
          {complete.length === 0 ? null : (
            <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
              Download {counted(complete.length)}
            </Button>
          )}
          {may_cancel && open.length > 0 ? (
            <ConfirmButton
              size="xs"
              label={`Cancel ${counted(open.length)}`}
              title={`Cancel ${counted(open.length)}?`}
              back="Keep rendering"
              says="No credits are charged. You cannot resume them."
              act={() => forEach(team_id, open, cancel)}
            />
          ) : null}
          {may_erase && over.length > 0 ? (
            <FreshSignInConfirmButton
              name="erase-selected"
              size="xs"
              label={`Erase ${counted(over.length)}`}
              title={`Erase ${counted(over.length)} permanently?`}
              says="This deletes names, values and videos. The renders disappear from all lists, and their links stop working. Their charges stay on the statement. You cannot undo this."
              act={async () => {
                await forEach(team_id, over, erase);
                clear();
              }}
            />
          ) : null}
          <Button size="xs" variant="subtle" onClick={clear}>
            Clear selection
          </Button>
        </Group>
      </Group>
      <ErrorMessage error={error} />
    </Paper>
  );
};
