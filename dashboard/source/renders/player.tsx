import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorMessage } from '../shown/fault.tsx';
import { filesQuery } from './files-query.ts';

const MB = 1_000_000;

export const Player = ({ team_id, render_id }: { readonly team_id: string; readonly render_id: string }) => {
  const [variant, setVariant] = useState('master');
  const { data, error, refetch } = useQuery(filesQuery(team_id, render_id));
  const files = data?.files ?? [];
  const file = files.find((one) => one.variant === variant) ?? files[0];
  if (error !== null) return <ErrorMessage error={error} retry={refetch} />;
  if (file === undefined) return null;
  return (
    <Stack gap="xs">
      {files.length < 2 ? null : (
        <SegmentedControl data={files.map((one) => one.variant)} value={file.variant} onChange={setVariant} />
      )}
      {/* biome-ignore lint/a11y/useMediaCaption: renders have no captions. */}
      <video key={file.url} src={file.url} poster={data?.poster_url ?? undefined} controls preload="metadata" />
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {file.width} × {file.height} · {(file.size_bytes / MB).toFixed(1)} MB ·{' '}
          {(file.duration_ms / 1_000).toFixed(1)} s
        </Text>
        <Anchor href={file.url} size="sm">
          Download
        </Anchor>
      </Group>
    </Stack>
  );
};
