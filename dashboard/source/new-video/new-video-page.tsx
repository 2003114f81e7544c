import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { projectQuery } from '../projects/project-query.ts';
import { templatesQuery } from '../projects/templates-query.ts';
import { LoadingState } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { VideoForm } from './video-form.tsx';

type Of = { readonly team_id: string; readonly project_id: string };
type Template = Schemas['TeamTemplate'];
type Requested = Schemas['RequestedRender'];

/** The request of an earlier render, whose entries the form begins with. Null without one. */
const useRequest = (team_id: string, render_id: string | null) =>
  useQuery({
    queryKey: ['request', render_id],
    queryFn: async () =>
      render_id === null
        ? null
        : await unwrapAnswer(
            api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/request', {
              params: { path: { team_id, render_id } },
            }),
          ),
    staleTime: Number.POSITIVE_INFINITY,
  });

const chosenTemplate = (
  templates: readonly Template[],
  wanted: string | null,
  asked: Requested | null,
): Template | null =>
  templates.find(({ id }) => id === (wanted ?? asked?.template_id)) ?? (asked === null ? (templates[0] ?? null) : null);

const firstEntries = (project: Schemas['Project'], template: Template | null, asked: Requested | null) => ({
  name: asked?.name ?? template?.name ?? project.name,
  values: asked?.values ?? {},
  draft: asked?.draft ?? false,
});

export const TemplateChoice = (props: {
  readonly templates: readonly Template[];
  readonly chosen: Template | null;
  readonly choose: (template_id: string) => void;
}) => {
  const { templates, chosen, choose } = props;
  return templates.length < 2 ? null : (
    <Select
      label="Template"
      maw={360}
      data={templates.map(({ id, name }) => ({ value: id, label: name }))}
      value={chosen?.id ?? null}
      allowDeselect={false}
      onChange={(id) => id !== null && choose(id)}
    />
  );
};

export const NewVideoPage = ({ team_id, project_id }: Of) => {
  const [query, setQuery] = useSearchParams();
  const from = query.get('from');
  const [round, setRound] = useState(0);
  const project = useQuery(projectQuery(team_id, project_id));
  const templates = useQuery(templatesQuery(team_id, project_id));
  const asked = useRequest(team_id, from);
  const title = from === null ? 'New video' : 'Render again';
  if (project.data === undefined || templates.data === undefined || asked.data === undefined)
    return (
      <Page title={title}>
        <LoadingState
          error={project.error ?? templates.error ?? asked.error}
          retry={() => [project.refetch(), templates.refetch(), asked.refetch()]}
        />
      </Page>
    );
  const list = templates.data.data;
  const template = chosenTemplate(list, query.get('template'), asked.data);
  const choose = (template_id: string) =>
    setQuery(from === null ? { template: template_id } : { template: template_id, from }, { replace: true });
  return (
    <Page
      title={title}
      about={template?.description ?? (template === null ? 'This project has no fields to fill in.' : undefined)}
      trail={[
        { label: 'Projects', to: `/teams/${team_id}/projects` },
        { label: project.data.name, to: `/teams/${team_id}/projects/${project_id}` },
      ]}
    >
      {asked.data !== null && asked.data.values === null ? (
        <Text size="sm">The values of this render were deleted. The form begins with the defaults.</Text>
      ) : null}
      <TemplateChoice templates={list} chosen={template} choose={choose} />
      <VideoForm
        key={`${template?.id} ${from} ${round}`}
        {...{ team_id, template, from }}
        project={project.data}
        first={firstEntries(project.data, template, asked.data)}
        startOver={() => setRound(round + 1)}
      />
    </Page>
  );
};
