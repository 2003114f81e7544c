/**
 * Makes the time of a request to Azurite independent of how many blobs it has.
 *
 * A search in its index (LokiJS) is sorted by the first property that is named, and looks at all that have its value.
 * Azurite names account and container first, which all blobs have in common.
 */

type Query = Readonly<Record<string, unknown>>;

/** What is used of the collections of LokiJS 1.5. */
export type Lookups = { findOne: (query: Query) => unknown };

/** Lets every collection of this class look up by name first, where a name is asked for. Called once. */
export const lookUpByName = (collections: Lookups): void => {
  const { findOne } = collections;
  collections.findOne = function find(this: Lookups, query) {
    const { name, ...others } = query;
    return findOne.call(this, name === undefined ? query : { name, ...others });
  };
};

/** The same function, but each text is parsed once: Azurite parses the templates of its paths again for each request. */
export const parsedOnce = <A>(parse: (text: string) => A): ((text: string) => A) => {
  const parsed = new Map<string, A>();
  return (text) => {
    const known = parsed.get(text) ?? parse(text);
    parsed.set(text, known);
    return known;
  };
};
