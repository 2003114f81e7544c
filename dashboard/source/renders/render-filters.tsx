import { Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { projectQuery } from '../projects/project-query.ts';
import { templatesQuery } from '../projects/templates-query.ts';
import { firstUpper } from '../shown/first-upper.ts';
import { NO_PERIOD, type Period, PeriodChoice } from '../shown/period.tsx';
import { STATUSES, type Status } from './statuses.ts';

/** Offers the newest hundred projects, and those that match the typed text. */
const ProjectSelect = (props: {
  readonly team_id: string;
  readonly chosen: string | null;
  readonly choose: (project_id: string | null) => void;
}) => {
  const { team_id, chosen, choose } = props;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  const { data } = useQuery({
    queryKey: ['projects', team_id, search],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects', {
          params: { path: { team_id }, query: { limit: 100, ...(search.trim() !== '' && { search: search.trim() }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const { data: named } = useQuery({ ...projectQuery(team_id, chosen ?? ''), enabled: chosen !== null, retry: false });
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const shown =
    chosen === null || options.some(({ value }) => value === chosen)
      ? options
      : [{ value: chosen, label: named?.name ?? chosen }, ...options];
  return (
    <Select
      label="Project"
      placeholder="All projects"
      data={shown}
      value={chosen}
      onChange={choose}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'All projects' }}
      onSearchChange={(text) => setTyped(shown.some(({ label }) => label === text) ? '' : text)}
      filter={({ options: all }) => all}
      nothingFoundMessage="No matching projects"
    />
  );
};

const TemplateSelect = (props: {
  readonly team_id: string;
  readonly project_id: string;
  readonly chosen: string | null;
  readonly choose: (template_id: string | null) => void;
}) => {
  const { team_id, project_id, chosen, choose } = props;
  const { data } = useQuery(templatesQuery(team_id, project_id));
  const options = (data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }));
  // An earlier version of the project may have the template.
  const shown =
    chosen === null || options.some(({ value }) => value === chosen)
      ? options
      : [...options, { value: chosen, label: chosen }];
  return (
    <Select
      label="Template"
      placeholder="All templates"
      data={shown}
      value={chosen}
      onChange={choose}
      clearable
      clearButtonProps={{ 'aria-label': 'All templates' }}
      nothingFoundMessage="This project has no templates"
    />
  );
};

export type RenderFilter = {
  readonly project_id: string | null;
  /** Null without a project, because different projects may have templates with the same id. */
  readonly template_id: string | null;
  readonly status: Status | null;
  readonly period: Period;
  /** As typed. */
  readonly search: string;
};

const asStatus = (text: string | null): Status | null => STATUSES.find((status) => status === text) ?? null;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const asDay = (text: string | null): string => (text !== null && DAY.test(text) ? text : '');

/** The filter of the list, kept in the page's address, except the typed search. */
export const useRenderFilter = () => {
  const [query, setQuery] = useSearchParams();
  const [search, setSearch] = useState('');
  const set = (changed: Readonly<Record<string, string>>): void =>
    setQuery(
      (before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changed)) {
          if (value === '') after.delete(name);
          else after.set(name, value);
        }
        return after;
      },
      { replace: true },
    );
  const filter: RenderFilter = {
    project_id: query.get('project'),
    template_id: query.has('project') ? query.get('template') : null,
    status: asStatus(query.get('status')),
    period: { from: asDay(query.get('from')), to: asDay(query.get('to')) },
    search,
  };
  const clear = (): void => {
    set({ project: '', template: '', status: '', from: '', to: '' });
    setSearch('');
  };
  const view = query.get('view') === 'cards' ? 'cards' : 'table';
  return { filter, view, set, setSearch, clear };
};

export const isFiltered = ({ project_id, status, period, search }: RenderFilter): boolean =>
  project_id !== null || status !== null || period.from !== '' || period.to !== '' || search.trim() !== '';

export const RenderFilters = (props: { readonly team_id: string } & ReturnType<typeof useRenderFilter>) => {
  const { team_id, filter, set, setSearch } = props;
  const { project_id, template_id, status, period, search } = filter;
  return (
    <SimpleGrid cols={{ base: 2, md: project_id === null ? 5 : 6 }} spacing="sm">
      <ProjectSelect team_id={team_id} chosen={project_id} choose={(id) => set({ project: id ?? '', template: '' })} />
      {project_id === null ? null : (
        <TemplateSelect
          {...{ team_id, project_id, chosen: template_id }}
          choose={(id) => set({ template: id ?? '' })}
        />
      )}
      <Select
        label="Status"
        placeholder="All statuses"
        data={STATUSES.map((word) => ({ value: word, label: firstUpper(word) }))}
        value={status}
        onChange={(value) => set({ status: value ?? '' })}
        clearable
        clearButtonProps={{ 'aria-label': 'All statuses' }}
      />
      <PeriodChoice period={period} choose={({ from, to } = NO_PERIOD) => set({ from, to })} />
      <TextInput
        label="Search by name"
        placeholder="spring oslo"
        value={search}
        maxLength={200}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
      />
    </SimpleGrid>
  );
};
