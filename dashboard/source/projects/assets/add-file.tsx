import { Box, Button, FileButton, Group, Input, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, unwrapAnswer } from '../../api/client.ts';
import { UploadProgress } from '../../uploads/upload-progress.tsx';
import { uploadFaultText, useUpload } from '../../uploads/use-upload.ts';
import { documentFaults, outdatedBy } from '../document/refusals.ts';
import { sentDocument } from '../document/sent-document.ts';
import { versionQuery } from '../versions/version-query.ts';
import { assetKindOf, withAsset } from './add-asset.ts';

const faultText = (error: Error): string => {
  const [fault] = documentFaults(error);
  if (fault !== undefined) return `The file was not added: ${fault.message}.`;
  return outdatedBy(error) === null
    ? uploadFaultText(error)
    : 'The project was changed meanwhile. Choose the file again.';
};

/** Adds a file to the project, as a new version. The files of the project are the children, on which files drop. */
export const AddFile = (props: {
  readonly team_id: string;
  readonly project_id: string;
  readonly version: number;
  readonly children: ReactNode;
}) => {
  const { team_id, project_id, version, children } = props;
  const client = useQueryClient();
  const [refused, setRefused] = useState<string | null>(null);
  const { state, fault, start, cancel } = useUpload(team_id, async ({ id: upload_id }, { name: file_name }) => {
    const kind = assetKindOf(file_name);
    if (kind === null) return;
    const { document } = await client.fetchQuery(versionQuery(team_id, project_id, version));
    await unwrapAnswer(
      api.POST('/manage/v1/teams/{team_id}/projects/{project_id}/versions', {
        params: { path: { team_id, project_id }, header: { 'If-Match': `"${version}"` } },
        body: { document: sentDocument(withAsset(document, { kind, file_name, upload_id })) },
      }),
    );
    await client.invalidateQueries();
  });
  const take = (file: File | null | undefined): void => {
    if (file === null || file === undefined || state !== null) return;
    const is_known = assetKindOf(file.name) !== null;
    setRefused(is_known ? null : `“${file.name}” cannot be used. Choose a picture, a video, a sound or a font.`);
    if (is_known) start(file);
  };
  const error = refused ?? (fault === null ? null : faultText(fault));
  return (
    <Box
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer.files.item(0));
      }}
    >
      <Stack>
        <Group justify="space-between" wrap="wrap">
          <Text size="sm" c="dimmed">
            Drop a file here. It becomes part of a new version.
          </Text>
          <FileButton onChange={take} inputProps={{ 'aria-label': 'Add a file to the project' }}>
            {(control) => (
              <Button
                {...control}
                variant="default"
                loading={state !== null}
                leftSection={<IconPlus size={16} aria-hidden />}
              >
                Add a file
              </Button>
            )}
          </FileButton>
        </Group>
        {state === null ? null : <UploadProgress of="the project" state={state} cancel={cancel} />}
        {error === null ? null : <Input.Error role="alert">{error}</Input.Error>}
        {children}
      </Stack>
    </Box>
  );
};
