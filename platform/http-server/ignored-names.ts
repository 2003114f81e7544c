import { closestName } from '../../domain/near-name.ts';

const MAX_NAMES = 10;
const SHOWN_NAME = 64;
const MAX_CHARACTERS = 1_024;

/**
 * A name as a quoted string. Clients choose the names, so each is encoded: no character can then end the string, the
 * element or the header.
 */
const quoted = (name: string): string => {
  const shown = name.length > SHOWN_NAME ? `${name.slice(0, SHOWN_NAME)}…` : name;
  return `"${encodeURIComponent(shown.toWellFormed())}"`;
};

const elementOf = (name: string, known: readonly string[]): string => {
  const near = closestName(name, known);
  return near === null ? quoted(name) : `${quoted(name)};did-you-mean="${near}"`;
};

/** As many elements as the header may have. The first one always fits. */
const elementsOf = (names: readonly string[], known: readonly string[]): readonly string[] => {
  const elements: string[] = [];
  let characters = 0;
  for (const name of names.slice(0, MAX_NAMES)) {
    const element = elementOf(name, known);
    characters += element.length;
    if (characters > MAX_CHARACTERS) break;
    elements.push(element);
  }
  return elements;
};

/**
 * The value of a header that names ignored parts of a request: those that are not known, as structured fields (RFC 9651)
 * with percent-encoded strings. Null without such parts.
 */
export const ignoredNames = (known: readonly string[], given: Iterable<string>): string | null => {
  const ignored = [...new Set(given)].filter((name) => !known.includes(name));
  if (ignored.length === 0) return null;
  const elements = elementsOf(ignored, known);
  const more = ignored.length - elements.length;
  return `${elements.join(', ')}${more === 0 ? '' : `;more=${more}`}`;
};
