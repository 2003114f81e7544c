import { Button, Group, Stack, Tabs } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import { api, unwrapAnswer } from '../api/client.ts';
import { NewVideoButton } from '../new-video/new-video-button.tsx';
import { Person } from '../people/person.tsx';
import { FreshSignInConfirmButton } from '../session/fresh-confirmed.tsx';
import { useHasRight } from '../session/me.ts';
import { SheetButton } from '../sheet/sheet-button.tsx';
import { CopyableId } from '../shown/copyable-id.tsx';
import { PropertyList } from '../shown/facts.tsx';
import { Folded } from '../shown/folded.tsx';
import { LoadingState } from '../shown/loaded.tsx';
import { Page } from '../shown/page.tsx';
import { isTypeable } from '../shown/typed-name.ts';
import { Assets } from './assets/assets.tsx';
import { DocumentPanel } from './document/document-panel.tsx';
import { projectQuery } from './project-query.ts';
import { Templates } from './templates.tsx';
import { Versions } from './versions/versions.tsx';

const TABS = { templates: 'Templates', versions: 'Versions', assets: 'Assets', json: 'JSON' };

/** The address has the chosen tab, so that a reload and a link show it. */
const ProjectTabs = (props: { readonly team_id: string; readonly project_id: string; readonly version: number }) => {
  const { version, ...of } = props;
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('tab') ?? '';
  const choose = (tab: string | null): void =>
    setSearch(tab === null || tab === 'templates' ? {} : { tab }, { replace: true });
  const panels = {
    templates: <Templates {...of} />,
    versions: <Versions {...of} newest={version} />,
    assets: <Assets {...of} version={version} />,
    json: <DocumentPanel {...of} version={version} />,
  };
  return (
    <Tabs value={Object.hasOwn(TABS, wanted) ? wanted : 'templates'} onChange={choose} keepMounted={false}>
      <Tabs.List>
        {Object.entries(TABS).map(([value, label]) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(panels).map(([value, panel]) => (
        <Tabs.Panel key={value} value={value} pt="md">
          <Stack>{panel}</Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
};

export const ProjectPage = ({ team_id, project_id }: { readonly team_id: string; readonly project_id: string }) => {
  const path = { team_id, project_id };
  const { data, error, refetch } = useQuery(projectQuery(team_id, project_id));
  const may_erase = useHasRight(team_id, 'erase_projects');
  const [, navigate] = useLocation();
  const client = useQueryClient();
  if (data === undefined)
    return (
      <Page title="Project">
        <LoadingState error={error} retry={refetch} />
      </Page>
    );
  const is_by_name = isTypeable(data.name);
  const body = is_by_name ? { name: data.name } : { project_id };
  const erase = () =>
    unwrapAnswer(api.POST('/manage/v1/teams/{team_id}/projects/{project_id}/erase', { params: { path }, body }));
  const afterErasing = () => {
    navigate(`/teams/${team_id}/projects`);
    void client.invalidateQueries();
  };
  return (
    <Page
      title={data.name}
      about={
        <Group gap="xs">
          <span>
            Version {data.version}
            {data.created_by === null ? null : (
              <>
                {' '}
                · created by <Person user_id={data.created_by} />
              </>
            )}
          </span>
        </Group>
      }
      trail={[{ label: 'Projects', to: `/teams/${team_id}/projects` }]}
      actions={
        <>
          <NewVideoButton team_id={team_id} project_id={project_id} />
          <SheetButton team_id={team_id} project_id={project_id} />
          <Button component={Link} href={`/teams/${team_id}/renders?project=${project_id}`} variant="default">
            Show renders
          </Button>
          {may_erase ? (
            <FreshSignInConfirmButton
              name="erase"
              label="Erase project"
              title="Erase this project permanently?"
              says="This deletes its name, all of its versions, its assets, and all of its renders with their videos. Running renders are deleted when they end. Links to the videos stop working. Charges stay on the statement. You cannot undo this."
              typed={
                is_by_name ? { what: 'the name of the project', text: data.name } : { what: 'its ID', text: project_id }
              }
              act={erase}
              after={afterErasing}
            />
          ) : null}
        </>
      }
    >
      <ProjectTabs {...{ team_id, project_id }} version={data.version} />
      <Folded title="Technical details">
        <PropertyList facts={[['Project', <CopyableId key="id" id={project_id} />]]} />
      </Folded>
    </Page>
  );
};
