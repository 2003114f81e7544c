/**
 * Makes the time of a request to Azurite independent of the number of blobs. LokiJS uses an index only for the first
 * property of a query, and then scans all documents with that value. Azurite's queries begin with account and
 * container, which all blobs share.
 */

type Query = Readonly<Record<string, unknown>>;

export type Lookups = { findOne: (query: Query) => unknown };

/** Searches by name first, if the query has a name. Call it once. */
export const lookUpByName = (collections: Lookups): void => {
  const { findOne } = collections;
  collections.findOne = function find(this: Lookups, query) {
    const { name, ...others } = query;
    return findOne.call(this, name === undefined ? query : { name, ...others });
  };
};

/** Azurite parses the templates of its paths again for each request, so this memoizes the result by text. */
export const memoizeParse = <A>(parse: (text: string) => A): ((text: string) => A) => {
  const parsed = new Map<string, A>();
  return (text) => {
    const known = parsed.get(text) ?? parse(text);
    parsed.set(text, known);
    return known;
  };
};
