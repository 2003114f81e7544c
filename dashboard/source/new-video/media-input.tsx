import { Box, Button, FileButton, Group, Input, Progress, Select, Stack, Text, TextInput } from '@mantine/core';
import { useId } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Schemas, unwrapAnswer } from '../api/client.ts';
import { ThumbnailImage } from '../shown/still.tsx';
import { acceptedFiles, fileFault, type MediaKind } from '../uploads/file-types.ts';
import { stateText } from '../uploads/state-text.ts';
import { UploadFault, type UploadState, uploadFile } from '../uploads/upload-file.ts';

type Asset = Schemas['ProjectAsset'];

const WORDS = {
  image: { upload: 'Upload a picture', url: 'Address of a picture' },
  video: { upload: 'Upload a video', url: 'Address of a video' },
  audio: { upload: 'Upload a sound', url: 'Address of a sound' },
} as const satisfies Readonly<Record<MediaKind, object>>;

/** Uploads one file at a time. A closed form ends the upload; the same file continues it later. */
const useUpload = (team_id: string, done: (upload: Schemas['Upload']) => void) => {
  const [state, setState] = useState<UploadState | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const { mutate, error, reset } = useMutation({
    mutationFn: async (file: File) => {
      running.current?.abort();
      const own = new AbortController();
      running.current = own;
      try {
        return await uploadFile({ team_id, file, signal: own.signal, tell: setState });
      } finally {
        if (running.current === own) setState(null);
      }
    },
    onSuccess: done,
  });
  const cancel = (): void => {
    running.current?.abort();
    reset();
  };
  const is_cancelled = error instanceof DOMException && error.name === 'AbortError';
  return { state, fault: is_cancelled ? null : error, start: mutate, cancel };
};

const uploadFaultText = (error: Error): string =>
  error instanceof UploadFault ? error.message : 'The upload did not end. Choose the same file to continue it.';

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
  if (asset !== undefined) return { name: asset.file_name, thumbnail_url: null };
  if (is_upload) return { name: upload?.name ?? 'An uploaded file', thumbnail_url: upload?.thumbnail_url ?? null };
  return { name: value, thumbnail_url: null };
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
          {kind === 'audio' ? null : <ThumbnailImage url={shown.thumbnail_url} />}
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
        {state === null ? null : (
          <Group gap="xs" wrap="nowrap">
            <Stack gap={2} flex={1} role="status">
              <Progress
                value={state.tag === 'checking' ? 100 : state.progress * 100}
                animated={state.tag === 'checking'}
                aria-label={`Upload for ${label}`}
              />
              <Text size="xs">{stateText(state)}</Text>
            </Stack>
            <Button variant="subtle" size="xs" onClick={upload.cancel}>
              Cancel
            </Button>
          </Group>
        )}
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
