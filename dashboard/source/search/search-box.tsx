import { Combobox, Group, Stack, Text, TextInput, useCombobox, VisuallyHidden } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconMovie, IconSearch, IconTemplate, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import type { People } from '../people/people.ts';
import { fullPersonText, peopleLike } from '../people/person-text.ts';
import { stateWord } from '../renders/state-word.ts';
import type { Me } from '../session/me.ts';
import type { Entry } from '../shell/entries.ts';
import { ErrorMessage } from '../shown/fault.tsx';
import { type Hit, isRenderId, matching } from './hits.ts';

const AFTER_MS = 200;
const COUNT = 5;
const MAX_LENGTH = 200;

type ShownHit = Hit & { readonly icon: Entry['icon'] };
type HitGroup = { readonly label: string; readonly hits: readonly ShownHit[] };

/** @param search trimmed */
const useFound = (team_id: string | null, search: string) => {
  const is_id = isRenderId(search);
  const path = { team_id: team_id ?? '' };
  const query = { search, limit: COUNT };
  const enabled = team_id !== null && search !== '';
  const projects = useQuery({
    queryKey: ['projects', team_id, 'quick', search],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/projects', { params: { path, query } })),
    enabled: enabled && !is_id,
  });
  const renders = useQuery({
    queryKey: ['renders', team_id, 'quick', search],
    queryFn: () => unwrapAnswer(api.GET('/manage/v1/teams/{team_id}/renders', { params: { path, query } })),
    enabled: enabled && !is_id,
  });
  const render = useQuery({
    queryKey: ['render', search],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}', {
          params: { path: { ...path, render_id: search } },
        }),
      ),
    enabled: enabled && is_id,
    retry: false,
  });
  return {
    projects: projects.data?.data ?? [],
    renders: is_id ? (render.data === undefined ? [] : [render.data]) : (renders.data?.data ?? []),
    is_loading: projects.isLoading || renders.isLoading || render.isLoading,
    // An ID that the team does not have is no fault.
    failing: [projects, renders].find(({ error }) => error !== null),
  };
};

const Results = ({ groups }: { readonly groups: readonly HitGroup[] }) => (
  <Combobox.Options mah="55vh" style={{ overflowY: 'auto' }} aria-label="Results">
    {groups.map(({ label, hits }) => (
      <Combobox.Group key={label} label={label}>
        {hits.map(({ key, label: text, hint, icon: Icon }) => (
          <Combobox.Option key={key} value={key}>
            <Group gap="sm" wrap="nowrap">
              <Icon size={16} aria-hidden />
              <Text size="sm" span style={{ overflowWrap: 'anywhere' }}>
                {text}
              </Text>
              {hint === null ? null : (
                <Text size="xs" c="inherit" span truncate ml="auto">
                  {hint}
                </Text>
              )}
            </Group>
          </Combobox.Option>
        ))}
      </Combobox.Group>
    ))}
  </Combobox.Options>
);

const useGroups = (
  team_id: string | null,
  entries: readonly Entry[],
  people: People,
  typed: string,
): { readonly groups: readonly HitGroup[]; readonly found: ReturnType<typeof useFound> } => {
  const [settled] = useDebouncedValue(typed.trim(), AFTER_MS);
  const found = useFound(team_id, typed.trim() === '' ? '' : settled);
  const of_team = `/teams/${team_id}`;
  const all: readonly HitGroup[] = [
    { label: 'Pages', hits: matching(entries, typed).map((entry) => ({ ...entry, key: entry.to, hint: null })) },
    {
      label: 'Projects',
      hits: found.projects.map(({ id, name }) => ({
        ...{ key: id, label: name, hint: null, to: `${of_team}/projects/${id}`, icon: IconTemplate },
      })),
    },
    {
      label: 'Renders',
      hits: found.renders.map(({ id, name, status, failed_as }) => ({
        ...{ key: id, label: name, hint: stateWord({ status, failed_as }) },
        ...{ to: `${of_team}/renders/${id}`, icon: IconMovie },
      })),
    },
    {
      label: 'People',
      hits:
        team_id === null
          ? []
          : peopleLike(people, typed)
              .slice(0, COUNT)
              .map((user_id) => ({
                ...{ key: user_id, label: fullPersonText(people, user_id), hint: null },
                ...{ to: `${of_team}/people`, icon: IconUsers },
              })),
    },
  ];
  return { groups: all.filter(({ hits }) => hits.length > 0), found };
};

export const SearchBox = (props: {
  readonly team: Me['teams'][number] | undefined;
  readonly entries: readonly Entry[];
  readonly people: People;
  readonly close: () => void;
}) => {
  const { team, entries, people, close } = props;
  const [, go] = useLocation();
  const [typed, setTyped] = useState('');
  const combobox = useCombobox({ opened: true });
  const { groups, found } = useGroups(team?.id ?? null, entries, people, typed);
  const hits = groups.flatMap((group) => group.hits);
  const keys = hits.map(({ key }) => key).join(' ');
  const { selectFirstOption } = combobox;
  useEffect(() => {
    if (keys !== '') selectFirstOption();
  }, [keys, selectFirstOption]);
  const open = (key: string): void => {
    const hit = hits.find((one) => one.key === key);
    if (hit === undefined) return;
    close();
    go(hit.to);
  };
  return (
    <Combobox store={combobox} onOptionSubmit={open}>
      <Stack gap="sm">
        <Combobox.EventsTarget withExpandedAttribute>
          <TextInput
            aria-label="Search pages, projects, renders and people"
            placeholder={team === undefined ? 'Pages' : `Pages, projects, renders and people of ${team.name}`}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={typed}
            maxLength={MAX_LENGTH}
            autoComplete="off"
            data-autofocus
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            // The dialog ignores Escape in a combobox that is open.
            onKeyDown={({ key }) => key === 'Escape' && close()}
          />
        </Combobox.EventsTarget>
        <ErrorMessage error={found.failing?.error ?? null} retry={() => found.failing?.refetch()} />
        {hits.length > 0 ? (
          <Results groups={groups} />
        ) : (
          <Text size="sm" c="dimmed" ta="center" p="md">
            {found.is_loading
              ? 'Searching…'
              : 'Nothing matches. Search by the beginning of a word, or by the ID of a render.'}
          </Text>
        )}
        <Text size="xs" c="dimmed" visibleFrom="sm">
          ↑ ↓ to choose, Enter to open, Esc to close
        </Text>
        <VisuallyHidden role="status">
          {hits.length === 1 ? '1 result' : `${hits.length.toLocaleString()} results`}
        </VisuallyHidden>
      </Stack>
    </Combobox>
  );
};
