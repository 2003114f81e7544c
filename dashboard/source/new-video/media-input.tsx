import { Box, Button, FileButton, Group, Input, Select, Stack, Text, TextInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { AssetStill } from '../projects/assets/asset-still.tsx';
import { ThumbnailImage } from '../shown/still.tsx';
import { acceptedFiles, fileFault, type MediaKind } from '../uploads/file-types.ts';
import { UploadProgress } from '../uploads/upload-progress.tsx';
import { uploadFaultText, useUpload } from '../uploads/use-upload.ts';

type Asset = Schemas['ProjectAsset'];

const WORDS = {
  image: { upload: 'Upload a picture', url: 'Address of a picture' },
  video: { upload: 'Upload a video', url: 'Address of a video' },
  audio: { upload: 'Upload a sound', url: 'Address of a sound' },
} as const satisfies Readonly<Record<MediaKind, object>>;

const isUpload = (value: string): boolean => /^upload_[0-9a-f]{32}$/.test(value);

const uploadKey = (id: string) => ['upload', id] as const;

/** The name and picture of a value: a file of the project, an uploaded file, or an address. */
const useShownValue = (team_id: string, value: string, assets: readonly Asset[]) => {
  const asset = assets.find(({ id }) => id === value);
  const is_upload = asset === undefined && isUpload(value);
  const { data: upload } = useQuery({
    queryKey: uploadKey(value),
    queryFn: () =>
      unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/uploads/{upload_id}', { params: { path: { team_id, upload_id: value } } }),
      ),
    enabled: is_upload,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (asset !== undefined) return { name: asset.file_name, thumbnail_url: null, asset };
  if (is_upload)
    return { name: upload?.name ?? 'An uploaded file', thumbnail_url: upload?.thumbnail_url ?? null, asset: null };
  return { name: value, thumbnail_url: null, asset: null };
};

export const MediaInput = (props: {
  readonly team_id: string;
  readonly kind: MediaKind;
  readonly label: string;
  readonly description: string | null;
  readonly fault: string | undefined;
  readonly value: string | undefined;
  readonly default_value: string;
  readonly assets: readonly Asset[];
  readonly setValue: (value: string | null) => void;
  readonly setBusy: (busy: boolean) => void;
}) => {
  const { team_id, kind, label, description, fault, value, default_value, setValue, setBusy } = props;
  const words = WORDS[kind];
  const id = useId();
  const assets = props.assets.filter((asset) => asset.kind === kind);
  const [refused, setRefused] = useState<string | null>(null);
  const client = useQueryClient();
  const upload = useUpload(team_id, (ready) => {
    client.setQueryData(uploadKey(ready.id), ready);
    setValue(ready.id);
  });
  const { state } = upload;
  const busy = state !== null;
  useEffect(() => {
    setBusy(busy);
    return () => setBusy(false);
  }, [busy, setBusy]);
  const take = (file: File | null | undefined): void => {
    if (file === null || file === undefined) return;
    const wrong = fileFault(kind, file);
    setRefused(wrong);
    if (wrong === null) upload.start(file);
  };
  const shown = useShownValue(team_id, value ?? default_value, assets);
  const [typed, setTyped] = useState(value?.includes('://') === true ? value : '');
  const setUrl = (text: string): void => {
    setTyped(text);
    setValue(text.trim() === '' ? null : text.trim());
  };
  const error = refused ?? (upload.fault === null ? fault : uploadFaultText(upload.fault));
  return (
    <Box
      component="fieldset"
      className="media"
      aria-describedby={error === undefined ? undefined : `${id}-error`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files.item(0));
      }}
    >
      <Input.Label component="legend">{label}</Input.Label>
      {description === null ? null : <Input.Description>{description}</Input.Description>}
      <Stack gap="xs" mt={4}>
        <Group wrap="nowrap" align="center">
          {kind === 'audio' ? null : shown.asset === null ? (
            <ThumbnailImage url={shown.thumbnail_url} />
          ) : (
            <AssetStill team_id={team_id} asset={shown.asset} />
          )}
          <Stack gap={2} miw={0}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }} lineClamp={2}>
              {shown.name}
              {value === undefined ? ' (default)' : ''}
            </Text>
            <Group gap="xs">
              <FileButton
                accept={acceptedFiles(kind)}
                onChange={take}
                inputProps={{ 'aria-label': `${words.upload}: ${label}` }}
              >
                {(control) => (
                  <Button {...control} variant="default" size="xs" disabled={busy}>
                    {words.upload}
                  </Button>
                )}
              </FileButton>
              {value === undefined ? null : (
                <Button variant="subtle" size="xs" onClick={() => setValue(null)} disabled={busy}>
                  Use default
                </Button>
              )}
            </Group>
          </Stack>
        </Group>
        {state === null ? null : <UploadProgress of={label} state={state} cancel={upload.cancel} />}
        <Group grow align="flex-end" gap="xs" preventGrowOverflow={false}>
          {assets.length < 2 ? null : (
            <Select
              size="xs"
              label="From the project"
              placeholder="Choose a file"
              data={assets.map((asset) => ({ value: asset.id, label: asset.file_name }))}
              value={assets.some((asset) => asset.id === value) ? (value ?? null) : null}
              onChange={setValue}
              clearable
            />
          )}
          <TextInput
            size="xs"
            type="url"
            label={words.url}
            placeholder="https://…"
            value={value === typed.trim() ? typed : ''}
            maxLength={2_000}
            onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          />
        </Group>
        {error === undefined ? null : (
          <Input.Error id={`${id}-error`} role="alert">
            {error}
          </Input.Error>
        )}
      </Stack>
    </Box>
  );
};
