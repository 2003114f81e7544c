import { type Field, labelOf } from '../new-video/field-values.ts';

/** A column fills a field, by its key, or the name of the video. */
export type Target = `field:${string}` | 'name' | 'ignore';

export const fieldTarget = (key: string): Target => `field:${key}`;

export const isTarget = (text: unknown): text is Target =>
  typeof text === 'string' && (text === 'name' || text === 'ignore' || text.startsWith('field:'));

const normalized = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ');

type Named = Pick<Field, 'key' | 'label'>;

/** Columns with the name of the video. */
const VIDEO_NAMES = ['name', 'video name', 'name of the video'] as const;

const isNamed = ({ key, label }: Named, text: string): boolean =>
  [key, labelOf({ key, label })].some((one) => normalized(one) === text);

/** A column for the name of the video that no field takes. */
export const videoNameColumn = (fields: readonly Named[]): string =>
  VIDEO_NAMES.find((text) => !fields.some((field) => isNamed(field, text))) ?? VIDEO_NAMES[0];

/**
 * The target of each column, by the key or the label of a field, without case. The first of several columns with the
 * same target gets it. A field that is called "name" comes before the name of the video.
 */
export const matchColumns = (columns: readonly string[], fields: readonly Named[]): readonly Target[] => {
  const targets = new Map<string, Target>(VIDEO_NAMES.map((text) => [text, 'name']));
  for (const field of fields.toReversed()) targets.set(normalized(labelOf(field)), fieldTarget(field.key));
  for (const { key } of fields) targets.set(normalized(key), fieldTarget(key));
  const taken = new Set<Target>();
  return columns.map((column) => {
    const target = targets.get(normalized(column)) ?? 'ignore';
    if (taken.has(target)) return 'ignore';
    taken.add(target);
    return target;
  });
};

/** @returns the targets with one changed; another column with the same target becomes ignored */
export const withTarget = (targets: readonly Target[], column: number, target: Target): readonly Target[] =>
  targets.map((before, index) => {
    if (index === column) return target;
    return before === target ? 'ignore' : before;
  });
