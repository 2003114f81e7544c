import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useSearchParams } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { TemplateChoice } from '../new-video/new-video-page.tsx';
import { projectQuery } from '../projects/project-query.ts';
import { templatesQuery } from '../projects/templates-query.ts';
import { useHasRight, useMe } from '../session/me.ts';
import { LoadingState } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { matchColumns } from './columns.ts';
import { PasteTable } from './paste-table.tsx';
import { sheetStore } from './sheet-store.ts';
import { SheetView } from './sheet-view.tsx';

type Of = { readonly team_id: string; readonly project_id: string };

const SheetOfTemplate = (props: {
  readonly team_id: string;
  readonly project: Schemas['Project'];
  readonly template: Schemas['TeamTemplate'];
}) => {
  const { project, template } = props;
  const store = sheetStore(useMe().person, JSON.stringify([project.id, template.id]));
  const { sheet } = useSyncExternalStore(store.subscribe, store.get);
  if (sheet !== null) return <SheetView key={sheet.id} {...props} store={store} sheet={sheet} />;
  return (
    <PasteTable
      fields={template.fields}
      take={(table) =>
        store.replace({
          ...{ id: crypto.randomUUID(), table, targets: matchColumns(table.columns, template.fields) },
          ...{ draft: false, orders: null },
        })
      }
    />
  );
};

const SheetPage = ({ team_id, project_id }: Of) => {
  const [query, setQuery] = useSearchParams();
  const project = useQuery(projectQuery(team_id, project_id));
  const templates = useQuery(templatesQuery(team_id, project_id));
  const may_request = useHasRight(team_id, 'request_renders');
  if (project.data === undefined || templates.data === undefined)
    return (
      <Page title="Sheet">
        <LoadingState error={project.error ?? templates.error} retry={() => [project.refetch(), templates.refetch()]} />
      </Page>
    );
  const list = templates.data.data;
  const template = list.find(({ id }) => id === query.get('template')) ?? list[0];
  return (
    <Page
      title="Sheet"
      about="A video for each row of a table."
      trail={[
        { label: 'Projects', to: `/teams/${team_id}/projects` },
        { label: project.data.name, to: `/teams/${team_id}/projects/${project_id}` },
      ]}
    >
      {template === undefined ? (
        <Text size="sm">
          This project has no template, so its videos are all the same. Add a template with fields first.
        </Text>
      ) : may_request ? (
        <>
          <TemplateChoice
            templates={list}
            chosen={template}
            choose={(id) => setQuery({ template: id }, { replace: true })}
          />
          <SheetOfTemplate key={template.id} {...{ team_id, template }} project={project.data} />
        </>
      ) : (
        <Text size="sm">Your role cannot render videos in this team.</Text>
      )}
    </Page>
  );
};

// React.lazy loads the default export.
export default SheetPage;
