/** A picture of a row, or its placeholder. @param url signed; null until there is one */
export const Still = ({ url }: { readonly url: string | null }) =>
  url === null ? <div className="still" /> : <img className="still" src={url} alt="" loading="lazy" />;
