import { IconPhoto } from '@tabler/icons-react';

/** @param url signed; null shows a placeholder. @param props.large fills its card */
export const ThumbnailImage = ({ url, large = false }: { readonly url: string | null; readonly large?: boolean }) => {
  const className = large ? 'still still-large' : 'still';
  return url === null ? (
    <div className={className}>
      <IconPhoto size={large ? 28 : 18} aria-hidden />
    </div>
  ) : (
    <img className={className} src={url} alt="" loading="lazy" />
  );
};
