import { Alert, Button, FileButton, Group, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { ErrorMessage } from '../../shown/fault.tsx';
import { stateText } from '../../uploads/state-text.ts';
import { sizeText } from '../assets/size-text.ts';
import { FaultList } from '../document/fault-list.tsx';
import type { DocumentFault } from '../document/refusals.ts';
import { FolderFault, type FolderFile } from './folder.ts';
import { type FileState, importProject, ProjectFaults } from './import-project.ts';
import { chosenFiles, droppedEntries, droppedFiles } from './read-folder.ts';
import { type AssetFile, type LocalProject, readProject } from './read-project.ts';
import { readZip } from './read-zip.ts';

/** Chosen files. The key is that of the project that they become. */
type Source = { readonly files: () => Promise<readonly FolderFile[]>; readonly key: string };

const isZip = (name: string): boolean => /\.zip$/i.test(name);

const sourceOf = (files: Source['files']): Source => ({
  files,
  key: `import-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`,
});

/** A dropped ZIP file, or dropped folders and files. */
const droppedSource = (transfer: DataTransfer): Source | null => {
  const entries = droppedEntries(transfer);
  const file = transfer.files.item(0);
  if (entries.length === 1 && file !== null && isZip(file.name)) return sourceOf(() => readZip(file));
  return entries.length === 0 ? null : sourceOf(() => droppedFiles(entries));
};

/** Each fault with the line of `project.json`. The parser is loaded only for them. */
const withLines = async (text: string, faults: readonly DocumentFault[]): Promise<readonly DocumentFault[]> => {
  const { lineOfPath } = await import('../document/place-of-path.ts');
  return faults.map(({ path, message }) => ({ path: `line ${lineOfPath(text, path)}: ${path}`, message }));
};

type States = ReadonlyMap<string, FileState>;

/** Imports one project at a time. A closed page ends the import. Choosing the same files continues their uploads. */
const useImport = (team_id: string) => {
  const [project, setProject] = useState<LocalProject | null>(null);
  const [states, setStates] = useState<States>(new Map());
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const [, navigate] = useLocation();
  const client = useQueryClient();
  const importing = useMutation({
    mutationFn: async ({ files, key }: Source) => {
      running.current?.abort();
      const own = new AbortController();
      running.current = own;
      setProject(null);
      setStates(new Map());
      const local = await readProject(await files());
      own.signal.throwIfAborted();
      setProject(local);
      const tell = (path: string, state: FileState): void => setStates((before) => new Map(before).set(path, state));
      try {
        return await importProject({ team_id, project: local, key, signal: own.signal, tell });
      } catch (error) {
        // The other uploads of a failed import must not continue.
        own.abort();
        throw error instanceof ProjectFaults ? new ProjectFaults(await withLines(local.text, error.faults)) : error;
      }
    },
    onSuccess: (id) => {
      void client.invalidateQueries({ queryKey: ['projects'] });
      navigate(`/teams/${team_id}/projects/${id}`);
    },
  });
  const cancel = (): void => {
    running.current?.abort();
    importing.reset();
    setProject(null);
  };
  return { importing, project, states, cancel };
};

const progressOf = (state: FileState | undefined): number => {
  if (state === undefined) return 0;
  return state.tag === 'checking' || state.tag === 'done' ? 100 : state.progress * 100;
};

const FileProgress = ({ path, file, state }: AssetFile & { readonly state: FileState | undefined }) => (
  <Stack component="li" gap={2}>
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm" truncate>
        {path}
      </Text>
      <Text size="xs" c="dimmed" className="figure" style={{ whiteSpace: 'nowrap' }}>
        {state === undefined ? sizeText(file.size_bytes) : state.tag === 'done' ? 'Ready' : stateText(state)}
      </Text>
    </Group>
    <Progress
      value={progressOf(state)}
      size="sm"
      animated={state?.tag === 'checking'}
      aria-label={`Upload of ${path}`}
    />
  </Stack>
);

const Uploads = ({ project, states }: { readonly project: LocalProject; readonly states: States }) => {
  const done = project.files.filter(({ path }) => states.get(path)?.tag === 'done').length;
  const { length: all } = project.files;
  return (
    <Stack gap="xs" w="100%" ta="start">
      <Text size="sm" fw={550} role="status">
        {done === all ? `Creating ${project.name ?? 'the project'}` : `${done} of ${all} files are ready`}
      </Text>
      <ScrollArea.Autosize mah={280} viewportProps={{ tabIndex: 0, 'aria-label': 'Files of the project' }}>
        <Stack component="ul" gap="xs" m={0} p={0} pr="sm" style={{ listStyle: 'none' }}>
          {project.files.map((one) => (
            <FileProgress key={one.path} {...one} state={states.get(one.path)} />
          ))}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
};

const isCancelled = (error: Error | null): boolean => error instanceof DOMException && error.name === 'AbortError';

const ImportFault = ({ error, retry }: { readonly error: Error | null; readonly retry: () => void }) => {
  if (error === null || isCancelled(error)) return null;
  if (error instanceof ProjectFaults)
    return <FaultList title="Correct project.json or its files, then choose them again" faults={error.faults} />;
  return error instanceof FolderFault ? (
    <Alert color="red" title="The project was not imported" role="alert" style={{ overflowWrap: 'anywhere' }}>
      {error.message}
    </Alert>
  ) : (
    <ErrorMessage error={error} retry={retry} />
  );
};

/** React's types do not have the attribute. */
const FOLDER_INPUT = { webkitdirectory: 'true', 'aria-label': 'Folder of a project' };

const Choices = ({ choose }: { readonly choose: (source: Source) => void }) => (
  <>
    <Text size="sm">Drop a folder or a ZIP file here</Text>
    <Group justify="center" gap="xs">
      <FileButton
        multiple
        onChange={(files) => files.length > 0 && choose(sourceOf(async () => chosenFiles(files)))}
        inputProps={FOLDER_INPUT}
      >
        {(control) => (
          <Button {...control} variant="default" size="sm">
            Choose a folder
          </Button>
        )}
      </FileButton>
      <FileButton
        accept=".zip,application/zip"
        onChange={(file) => file !== null && choose(sourceOf(() => readZip(file)))}
        inputProps={{ 'aria-label': 'ZIP file of a project' }}
      >
        {(control) => (
          <Button {...control} variant="default" size="sm">
            Choose a ZIP file
          </Button>
        )}
      </FileButton>
    </Group>
  </>
);

/** Creates a project from a folder or a ZIP file of the person's machine. */
export const ImportProject = ({ team_id }: { readonly team_id: string }) => {
  const { importing, project, states, cancel } = useImport(team_id);
  const [is_over, setOver] = useState(false);
  const { mutate, variables, isPending, error } = importing;
  return (
    <Stack>
      <ImportFault error={error} retry={() => variables !== undefined && mutate(variables)} />
      {/** biome-ignore lint/a11y/noStaticElementInteractions: the buttons do the same with a keyboard */}
      <div
        className="drop"
        data-over={is_over || undefined}
        aria-busy={isPending}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(!isPending);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          const source = isPending ? null : droppedSource(event.dataTransfer);
          if (source !== null) mutate(source);
        }}
      >
        {isPending ? (
          <>
            {project === null ? (
              <Text size="sm" role="status">
                Reading the files
              </Text>
            ) : (
              <Uploads project={project} states={states} />
            )}
            <Button variant="default" size="xs" onClick={cancel}>
              Cancel
            </Button>
          </>
        ) : (
          <Choices choose={mutate} />
        )}
      </div>
    </Stack>
  );
};
