import { api, unwrapAnswer } from '../api/client.ts';
import { saveBlob } from '../shown/save-blob.ts';

export type Film = { readonly render_id: string; readonly file_name: string };

/** Without a file to write to, the browser holds the whole ZIP. */
const MAX_HELD_BYTES = 1_000_000_000;

/** A fault of one film, for the person. */
export class ZipFault extends Error {
  override readonly name = 'ZipFault';
}

type Job = {
  readonly team_id: string;
  readonly films: readonly Film[];
  /** The number of films that are in the ZIP. */
  readonly tell: (count: number) => void;
  readonly signal: AbortSignal;
};

const MAX_TRIES = 3;

/** The URL is fresh for each film, because a long ZIP takes longer than a URL lives. */
const fetchFilm = async ({ team_id, signal }: Job, { render_id, file_name }: Film): Promise<Response> => {
  for (let tries = 1; ; tries += 1) {
    try {
      const { files } = await unwrapAnswer(
        api.GET('/manage/v1/teams/{team_id}/renders/{render_id}/files', {
          params: { path: { team_id, render_id } },
          signal,
        }),
      );
      const [file] = files;
      if (file === undefined) throw new ZipFault(`${file_name} was deleted. Reload the page to leave it out.`);
      const response = await fetch(file.url, { signal, credentials: 'omit' });
      if (response.ok) return response;
      await response.body?.cancel();
    } catch (error) {
      if (signal.aborted || error instanceof ZipFault) throw error;
    }
    if (tries === MAX_TRIES) throw new ZipFault(`${file_name} could not be downloaded. Try again.`);
  }
};

/** The size lets programs without ZIP64 read the file. */
const statedSize = ({ headers }: Response) => {
  const size_bytes = headers.get('Content-Length');
  return size_bytes === null ? {} : { uncompressedSize: Number(size_bytes) };
};

/** Films are stored as they are, because they do not shrink. If one fails, what is written is dropped. */
const writeZip = async (job: Job, to: WritableStream<Uint8Array>): Promise<void> => {
  const { ZipWriter } = await import('@zip.js/zip.js/lib/zip-core-native.js');
  const zip = new ZipWriter(to, { level: 0, useWebWorkers: false });
  try {
    for (const [index, film] of job.films.entries()) {
      job.tell(index);
      const response = await fetchFilm(job, film);
      if (response.body === null) throw new ZipFault(`${film.file_name} is empty. Reload the page to leave it out.`);
      await zip.add(film.file_name, response.body, { signal: job.signal, ...statedSize(response) });
    }
    job.tell(job.films.length);
    await zip.close();
  } catch (error) {
    await to.abort(error).catch(() => undefined);
    throw error;
  }
};

/** Only some browsers can write a download as it arrives. */
type FilePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>;

const filePicker = (): FilePicker | null => {
  const { showSaveFilePicker } = Object(window);
  return typeof showSaveFilePicker === 'function' ? showSaveFilePicker.bind(window) : null;
};

const bounded = (): TransformStream<Uint8Array, Uint8Array> => {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes <= MAX_HELD_BYTES) controller.enqueue(chunk);
      else
        controller.error(
          new ZipFault(
            'This browser saves at most 1 GB at once. Use Chrome or Edge, or download the videos one by one.',
          ),
        );
    },
  });
};

const saveHeld = async (job: Job, file_name: string): Promise<void> => {
  const { readable, writable } = bounded();
  const held = new Response(readable, { headers: { 'Content-Type': 'application/zip' } }).blob();
  const [blob] = await Promise.all([held, writeZip(job, writable)]);
  saveBlob(blob, file_name);
};

/** Saves the films as one ZIP, in their order. Call it from a click, because the browser may ask for the place. */
export const saveZip = async (job: Job, file_name: string): Promise<void> => {
  const pick = filePicker();
  if (pick === null) return await saveHeld(job, file_name);
  const handle = await pick({ suggestedName: file_name });
  await writeZip(job, await handle.createWritable());
};
