import { Alert, Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useReducer, useState } from 'react';
import { api, unwrapAnswer } from '../../api/client.ts';
import { usePeople } from '../../people/people.ts';
import { personText } from '../../people/person-text.ts';
import { useMe } from '../../session/me.ts';
import { ErrorMessage } from '../../shown/fault.tsx';
import { LoadingState } from '../../shown/loaded.tsx';
import { versionQuery } from '../versions/version-query.ts';
import { FaultList } from './fault-list.tsx';
import { parseDocument } from './parse-document.ts';
import { type DocumentFault, documentFaults, type Outdated, outdatedBy } from './refusals.ts';
import { clearDraft, readDraft, saveDraft } from './saved-draft.ts';
import { sentDocument } from './sent-document.ts';

const CodeEditor = lazy(() => import('./code-editor.tsx'));

const NO_FAULTS: readonly DocumentFault[] = [];
const CHECK_AFTER_MS = 700;

const textOf = (document: unknown): string => JSON.stringify(document, null, 2);

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const OutdatedNotice = (props: {
  readonly outdated: Outdated;
  readonly base: number;
  readonly overwrite: () => void;
  readonly discard: () => void;
}) => {
  const { outdated, base, overwrite, discard } = props;
  const people = usePeople();
  const { version, added_by, at } = outdated;
  const who =
    added_by === null
      ? 'An operator'
      : added_by.startsWith('user_')
        ? personText(people, added_by)
        : 'A program with an API key';
  const when = at === null ? '' : ` on ${time.format(new Date(at))}`;
  return (
    <Alert color="orange" title="The project was changed" role="alert">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {who} saved version {version}
          {when}, after you opened version {base}. Your text is not saved yet.
        </Text>
        <Group>
          <Button size="xs" variant="default" onClick={discard}>
            Discard mine, show version {version}
          </Button>
          <Button size="xs" color="red.8" onClick={overwrite}>
            Save mine as version {version + 1}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
};

type PanelProps = { readonly team_id: string; readonly project_id: string };

/** @param base the version that the text was made from */
const Editor = (
  props: PanelProps & { readonly base: number; readonly stored: string; readonly redraw: () => void },
) => {
  const { team_id, project_id, base, stored, redraw } = props;
  const { person } = useMe();
  const [text, setText] = useState(() => readDraft(person, project_id)?.text ?? stored);
  const [checked_text] = useDebouncedValue(text, CHECK_AFTER_MS);
  const client = useQueryClient();
  const parsed = parseDocument(text);
  const checked = parseDocument(checked_text);
  const is_changed = text !== stored;
  const check = useQuery({
    queryKey: ['check', team_id, checked_text],
    queryFn: ({ signal }) =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/projects/check', {
          ...{
            params: { path: { team_id } },
            body: { document: 'document' in checked ? sentDocument(checked.document) : null },
            signal,
          },
        }),
      ),
    enabled: is_changed && 'document' in checked,
    placeholderData: keepPreviousData,
    retry: false,
  });
  const save = useMutation({
    mutationFn: ({
      document,
      version,
    }: {
      readonly document: Readonly<Record<string, unknown>>;
      readonly version: number;
    }) =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/projects/{project_id}/versions', {
          params: { path: { team_id, project_id }, header: { 'If-Match': `"${version}"` } },
          body: { document: sentDocument(document) },
        }),
      ),
    // The button stays pending until the page has the new version.
    onSuccess: async () => {
      clearDraft(person, project_id);
      await client.invalidateQueries();
      redraw();
    },
  });
  const change = (next: string): void => {
    setText(next);
    if (next === stored) clearDraft(person, project_id);
    else saveDraft(person, project_id, { version: base, text: next });
    if (save.error !== null) save.reset();
  };
  const saveAt = (version: number): void => {
    if ('document' in parsed && !save.isPending) save.mutate({ document: parsed.document, version });
  };
  const discard = (): void => {
    clearDraft(person, project_id);
    void client.invalidateQueries({ queryKey: ['project', project_id] });
    redraw();
  };
  const outdated = outdatedBy(save.error);
  const refused = documentFaults(save.error);
  const faults =
    refused.length > 0 ? refused : is_changed && 'document' in parsed ? (check.data?.faults ?? NO_FAULTS) : NO_FAULTS;
  return (
    <Stack>
      <Suspense fallback={<Loader role="img" aria-label="Loading the editor" />}>
        <CodeEditor text={text} faults={faults} onChange={change} onSave={() => is_changed && saveAt(base)} />
      </Suspense>
      {outdated === null ? null : (
        <OutdatedNotice {...{ outdated, base, discard }} overwrite={() => saveAt(outdated.version)} />
      )}
      {faults.length > 0 ? (
        <FaultList title={faults.length === 1 ? '1 fault' : `${faults.length} faults`} faults={faults} />
      ) : outdated === null ? (
        <ErrorMessage error={save.error} />
      ) : null}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" role="status">
          {'fault' in parsed
            ? parsed.fault
            : is_changed
              ? `Changed. Saving adds version ${base + 1}.`
              : `Version ${base}`}
        </Text>
        <Group>
          <Button variant="default" disabled={!is_changed || save.isPending} onClick={() => change(stored)}>
            Discard changes
          </Button>
          <Button disabled={!is_changed || 'fault' in parsed} loading={save.isPending} onClick={() => saveAt(base)}>
            Save
          </Button>
        </Group>
      </Group>
    </Stack>
  );
};

/** The document of a project as JSON. A newer version of somebody else does not replace what is typed. */
export const DocumentPanel = ({ team_id, project_id, version }: PanelProps & { readonly version: number }) => {
  const [drawn, redraw] = useReducer((count: number) => count + 1, 0);
  const { person } = useMe();
  const base = readDraft(person, project_id)?.version ?? version;
  const { data, error, refetch } = useQuery(versionQuery(team_id, project_id, base));
  if (data === undefined) return <LoadingState error={error} retry={refetch} />;
  return <Editor key={`${base} ${drawn}`} {...{ team_id, project_id, base, redraw }} stored={textOf(data.document)} />;
};
