import { Button, Group, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api, unwrapAnswer } from '../../api/client.ts';
import { ErrorMessage } from '../../shown/fault.tsx';

const SHOWN = 20;

export const CopyProject = ({ team_id }: { readonly team_id: string }) => {
  const [project_id, setProject] = useState<string | null>(null);
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 250);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const { data } = useQuery({
    queryKey: ['projects', team_id, 'to copy', search],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects', {
          params: { path: { team_id }, query: { limit: SHOWN, ...(search !== '' && { search }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const copying = useMutation({
    mutationFn: (id: string) =>
      unwrapAnswer(
        api.POST('/manage/v1/teams/{team_id}/projects/{project_id}/copy', {
          params: { path: { team_id, project_id: id } },
          body: {},
        }),
      ),
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['projects'] });
      navigate(`/teams/${team_id}/projects/${id}`);
    },
  });
  return (
    <>
      <ErrorMessage error={copying.error} />
      <Group align="flex-end">
        <Select
          label="Project"
          placeholder="Choose a project"
          nothingFoundMessage="No projects match."
          searchable
          clearable
          w={{ base: '100%', xs: 340 }}
          data={(data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          filter={({ options }) => options}
          value={project_id}
          onChange={setProject}
          onSearchChange={setTyped}
        />
        <Button
          variant="default"
          disabled={project_id === null}
          loading={copying.isPending}
          onClick={() => project_id !== null && copying.mutate(project_id)}
        >
          Copy project
        </Button>
      </Group>
    </>
  );
};
