import { useEffect, useState } from 'react';

/** An address of the blob. The former one stays until the next blob arrives; null before the first. */
export const useObjectUrl = (blob: Blob | undefined): string | null => {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob !== undefined) setUrl(URL.createObjectURL(blob));
  }, [blob]);
  useEffect(() => () => (url === null ? undefined : URL.revokeObjectURL(url)), [url]);
  return url;
};
