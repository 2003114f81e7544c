import type { UploadState } from './upload-file.ts';

const percent = (progress: number): string => `${Math.floor(progress * 100)} %`;

export const stateText = (state: UploadState): string => {
  switch (state.tag) {
    case 'sending':
      return `Uploading, ${percent(state.progress)}`;
    case 'waiting':
      return navigator.onLine
        ? 'The file store does not answer. The upload continues by itself.'
        : 'You are offline. The upload continues when you are connected.';
    case 'checking':
      return 'Checking the file';
  }
};
