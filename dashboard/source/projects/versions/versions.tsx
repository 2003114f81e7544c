import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../../api/client.ts';
import { Author } from '../../people/person.tsx';
import { ConfirmButton } from '../../shown/confirmed.tsx';
import { LoadedData } from '../../shown/loaded.tsx';
import { Pager, pageQuery, usePagePosition } from '../../shown/pages.tsx';
import { Time } from '../../shown/time.tsx';
import { EngineStill } from '../document/engine-still.tsx';
import { sentDocument } from '../document/sent-document.ts';
import { versionQuery } from './version-query.ts';

const PAGE = 8;

/** @param added_by a user or an API key; null for an operator, or if it is not recorded */
const AddedBy = ({ added_by }: { readonly added_by: string | null }) => {
  if (added_by === null) return 'an operator';
  return added_by.startsWith('user_') ? (
    <Author actor={`user:${added_by}`} />
  ) : (
    <span title={added_by}>an API key</span>
  );
};

/** @param newest the number of the newest version */
export const Versions = (props: { readonly team_id: string; readonly project_id: string; readonly newest: number }) => {
  const { team_id, project_id, newest } = props;
  const path = { team_id, project_id };
  const place = usePagePosition(project_id);
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['versions', project_id, newest, place.cursor],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/versions', {
          params: { path, query: pageQuery(place.cursor, PAGE) },
        }),
      ),
  });
  const documentOf = async (version: number) =>
    (await client.fetchQuery(versionQuery(team_id, project_id, version))).document;
  const restore = async (version: number) =>
    unwrapAnswer(
      api.POST('/manage/v1/teams/{team_id}/projects/{project_id}/versions', {
        params: { path, header: { 'If-Match': `"${newest}"` } },
        body: { document: await documentOf(version) },
      }),
    );
  return (
    <LoadedData data={data} error={error} retry={refetch}>
      {(page) => (
        <Stack>
          <Stack component="ul" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
            {page.data.map(({ version, added_by, created_at }) => (
              <Paper key={version} component="li" withBorder p="sm">
                <Group justify="space-between" wrap="wrap">
                  <Group wrap="nowrap" miw={0}>
                    <EngineStill
                      drawn={{
                        ...{ team_id, name: `${project_id} ${version}` },
                        still: async () => ({ project: sentDocument(await documentOf(version)) }),
                      }}
                    />
                    <Stack gap={2} miw={0}>
                      <Group gap="xs">
                        <Text fw={600}>Version {version}</Text>
                        {version === newest ? (
                          <Badge className="mark" variant="light">
                            Current
                          </Badge>
                        ) : null}
                      </Group>
                      <Text size="sm" c="dimmed" component="div">
                        <Time at={created_at} /> by <AddedBy added_by={added_by} />
                      </Text>
                    </Stack>
                  </Group>
                  {version === newest ? null : (
                    <ConfirmButton
                      size="xs"
                      danger={false}
                      label="Restore"
                      title={`Restore version ${version}?`}
                      says={`This adds version ${newest + 1} with the content of version ${version}. Earlier versions and renders stay.`}
                      act={() => restore(version)}
                    />
                  )}
                </Group>
              </Paper>
            ))}
          </Stack>
          <Pager place={place} next={page.next_cursor} />
        </Stack>
      )}
    </LoadedData>
  );
};
