import { Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, unwrapAnswer } from '../../api/client.ts';
import { useHasRight } from '../../session/me.ts';
import { LoadedData } from '../../shown/loaded.tsx';
import { versionQuery } from '../versions/version-query.ts';
import { AddFile } from './add-file.tsx';
import { AssetStill } from './asset-still.tsx';
import { usesOf } from './asset-uses.ts';
import { sizeText } from './size-text.ts';

const SHOWN_USES = 3;

const usesText = (uses: readonly string[]): string => {
  if (uses.length === 0) return 'Not used';
  const more = uses.length - SHOWN_USES;
  return `Used in ${uses.slice(0, SHOWN_USES).join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** The files of the newest version. */
export const Assets = (props: { readonly team_id: string; readonly project_id: string; readonly version: number }) => {
  const { team_id, project_id, version } = props;
  const assets = useQuery({
    queryKey: ['assets', project_id, version],
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/projects/{project_id}/assets', {
          params: { path: { team_id, project_id } },
        }),
      ),
  });
  const may_change = useHasRight(team_id, 'request_renders');
  const { data: newest } = useQuery(versionQuery(team_id, project_id, version));
  const list = (
    <LoadedData data={assets.data} error={assets.error} retry={assets.refetch}>
      {({ data }) =>
        data.length === 0 ? (
          <Text size="sm" c="dimmed">
            This project has no files yet.
          </Text>
        ) : (
          <SimpleGrid component="ul" cols={{ base: 1, xs: 2, md: 3 }} m={0} p={0} style={{ listStyle: 'none' }}>
            {data.map((asset) => {
              const { id, kind, file_name, size_bytes, font_family } = asset;
              return (
                <Paper key={id} component="li" withBorder className="card asset">
                  <AssetStill team_id={team_id} asset={asset} />
                  <Stack gap={2} p="sm">
                    <Text fw={550} style={{ overflowWrap: 'anywhere' }}>
                      {file_name}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {kind} · {sizeText(size_bytes)}
                    </Text>
                    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                      {newest === undefined ? '…' : usesText(usesOf(newest.document, id, font_family))}
                    </Text>
                  </Stack>
                </Paper>
              );
            })}
          </SimpleGrid>
        )
      }
    </LoadedData>
  );
  return may_change ? <AddFile {...props}>{list}</AddFile> : list;
};
