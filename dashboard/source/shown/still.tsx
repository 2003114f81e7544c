/** @param url signed; null shows a placeholder */
export const ThumbnailImage = ({ url }: { readonly url: string | null }) =>
  url === null ? <div className="still" /> : <img className="still" src={url} alt="" loading="lazy" />;
