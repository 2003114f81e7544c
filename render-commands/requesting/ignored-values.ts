import type { Values } from '../../domain/composition/values.ts';
import { closestName } from '../../domain/near-name.ts';
import type { RenderRequested } from '../../domain/render/events.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';

const MAX_KEYS = 10;
const SHOWN_KEY = 64;
const MAX_CHARACTERS = 1_024;

/**
 * A key as a quoted string. Clients choose the keys, so each is encoded: no character can then end the string, the
 * element or the header.
 */
const quoted = (key: string): string => {
  const shown = key.length > SHOWN_KEY ? `${key.slice(0, SHOWN_KEY)}…` : key;
  return `"${encodeURIComponent(shown.toWellFormed())}"`;
};

const elementOf = (key: string, fields: readonly string[]): string => {
  const near = closestName(key, fields);
  return near === null ? quoted(key) : `${quoted(key)};did-you-mean="${near}"`;
};

/** As many elements as the header may have. The first one always fits. */
const elementsOf = (keys: readonly string[], fields: readonly string[]): readonly string[] => {
  const elements: string[] = [];
  let characters = 0;
  for (const key of keys.slice(0, MAX_KEYS)) {
    const element = elementOf(key, fields);
    characters += element.length;
    if (characters > MAX_CHARACTERS) break;
    elements.push(element);
  }
  return elements;
};

/**
 * The header's value: keys that the template lacks, as structured fields (RFC 9651) with percent-encoded strings. Null
 * without such keys.
 */
export const ignoredValues = (fields: readonly string[], values: Values): string | null => {
  const known = new Set(fields);
  const ignored = Object.keys(values).filter((key) => !known.has(key));
  if (ignored.length === 0) return null;
  const elements = elementsOf(ignored, fields);
  const more = ignored.length - elements.length;
  return `${elements.join(', ')}${more === 0 ? '' : `;more=${more}`}`;
};

/**
 * The value of the header for ignored values. Never rejects: if the template cannot be read, the answer lacks the
 * header.
 */
export type IgnoredValues = (event: RenderRequested, values: Values) => Promise<string | null>;

export const openIgnoredValues =
  (documents: ProjectDocuments): IgnoredValues =>
  async ({ project_id, project_version, template_id }, values) => {
    if (template_id === null || Object.keys(values).length === 0) return null;
    try {
      const { templates } = await documents(project_id, project_version);
      const fields = templates.find(({ id }) => id === template_id)?.fields ?? [];
      return ignoredValues(
        fields.map(({ key }) => key),
        values,
      );
    } catch {
      return null;
    }
  };
