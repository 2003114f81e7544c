const REVOKE_AFTER_MS = 60_000;

/** Saves the bytes as a download of the browser. */
export const saveBlob = (blob: Blob, file_name: string): void => {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = file_name;
  link.click();
  // Some browsers start to read the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER_MS);
};
