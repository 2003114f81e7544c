import pLimit from 'p-limit';
import { api, unwrapAnswer } from '../../api/client.ts';
import { UploadFault, type UploadState, uploadFile } from '../../uploads/upload-file.ts';
import { type DocumentFault, documentFaults } from '../document/refusals.ts';
import { sentDocument } from '../document/sent-document.ts';
import { FolderFault } from './folder.ts';
import { type AssetFile, documentWithUploads, type LocalProject } from './read-project.ts';

/** An upload sends several blocks of a file at once. */
const FILES_AT_ONCE = 2;

/** `done`: the service has the file. */
export type FileState = UploadState | { readonly tag: 'done' };

/** A project that is not created, with the faults of its `project.json` or of its files. */
export class ProjectFaults extends Error {
  override readonly name = 'ProjectFaults';
  readonly faults: readonly DocumentFault[];
  constructor(faults: readonly DocumentFault[]) {
    super('the project has faults');
    this.faults = faults;
  }
}

export type ImportOptions = {
  readonly team_id: string;
  readonly project: LocalProject;
  /** The same for a repeat, so that it creates no second project. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly tell: (path: string, state: FileState) => void;
};

/** The fault of a file as a message that follows its path; null for a fault of the connection. */
const faultOf = (error: unknown): string | null =>
  error instanceof UploadFault || error instanceof FolderFault ? error.message : null;

type Sent = { readonly uploads: ReadonlyMap<number, string>; readonly faults: readonly DocumentFault[] };

const sendFiles = async ({ team_id, project, signal, tell }: ImportOptions): Promise<Sent> => {
  const uploads = new Map<number, string>();
  const faults: DocumentFault[] = [];
  const limit = pLimit(FILES_AT_ONCE);
  const send = async ({ path, file, assets }: AssetFile): Promise<void> => {
    signal.throwIfAborted();
    try {
      const options = { team_id, signal, tell: (state: UploadState) => tell(path, state) };
      const { id } = await uploadFile({ ...options, file: await file.read() });
      for (const index of assets) uploads.set(index, id);
      tell(path, { tag: 'done' });
    } catch (error) {
      const message = faultOf(error);
      if (message === null) throw error;
      faults.push(...assets.map((index) => ({ path: `assets[${index}].file`, message })));
    }
  };
  await Promise.all(project.files.map((file) => limit(() => send(file))));
  return { uploads, faults };
};

/**
 * Uploads the files of a project and creates it. Files that the service knows are not sent again.
 *
 * @returns the id of the project. Rejects with {@link ProjectFaults}, or as {@link uploadFile}.
 */
export const importProject = async (options: ImportOptions): Promise<string> => {
  const { team_id, project, key, signal } = options;
  if (project.faults.length > 0) throw new ProjectFaults(project.faults);
  const { uploads, faults } = await sendFiles(options);
  if (faults.length > 0) throw new ProjectFaults(faults);
  try {
    const { id } = await unwrapAnswer(
      api.POST('/manage/v1/teams/{team_id}/projects', {
        params: { path: { team_id }, header: { 'Idempotency-Key': key } },
        body: { document: sentDocument(documentWithUploads(project.document, uploads)) },
        signal,
      }),
    );
    return id;
  } catch (error) {
    const refused = documentFaults(error);
    throw refused.length === 0 ? error : new ProjectFaults(refused);
  }
};
