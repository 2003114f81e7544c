import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { UploadFault, type UploadState, uploadFile } from './upload-file.ts';

/** Uploads one file at a time. A closed form ends the upload; the same file continues it later. */
export const useUpload = (team_id: string, done: (upload: Schemas['Upload'], file: File) => Promise<void> | void) => {
  const [state, setState] = useState<UploadState | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const { mutate, error, reset } = useMutation({
    mutationFn: async (file: File) => {
      running.current?.abort();
      const own = new AbortController();
      running.current = own;
      try {
        const upload = await uploadFile({ team_id, file, signal: own.signal, tell: setState });
        await done(upload, file);
      } finally {
        if (running.current === own) setState(null);
      }
    },
  });
  const cancel = (): void => {
    running.current?.abort();
    reset();
  };
  const is_cancelled = error instanceof DOMException && error.name === 'AbortError';
  return { state, fault: is_cancelled ? null : error, start: mutate, cancel };
};

export const uploadFaultText = (error: Error): string =>
  error instanceof UploadFault ? error.message : 'The upload did not end. Choose the same file to continue it.';
