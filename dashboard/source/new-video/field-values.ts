import type { Schemas } from '../api/client.ts';
import { fieldLabel } from '../renders/failure-text.ts';
import { asSentence } from '../shown/first-upper.ts';
import type { MediaKind } from '../uploads/file-types.ts';

export type Field = Schemas['TeamTemplateField'];
export type Values = Readonly<Record<string, string>>;
type Fault = Schemas['ProjectCheck']['faults'][number];

const NO_LABELS: ReadonlyMap<string, string> = new Map();

export const labelOf = ({ key, label }: Pick<Field, 'key' | 'label'>): string => label ?? fieldLabel(key, NO_LABELS);

const OF_VALUE = /^values\.(.+)$/s;

export type ShownFaults = { readonly of_fields: ReadonlyMap<string, string>; readonly others: readonly string[] };

/** The first fault of each field, and the faults that no field has. */
export const shownFaults = (fields: readonly Pick<Field, 'key'>[], faults: readonly Fault[]): ShownFaults => {
  const of_fields = new Map<string, string>();
  const others: string[] = [];
  for (const { path, message } of faults) {
    const key = OF_VALUE.exec(path)?.[1];
    if (key === undefined || !fields.some((field) => field.key === key)) others.push(asSentence(message));
    else if (!of_fields.has(key)) of_fields.set(key, asSentence(message));
  }
  return { of_fields, others };
};

const MAX_SLIDER_RANGE = 1_000;

type Numeric = Pick<Field, 'minimum' | 'maximum' | 'whole' | 'widget'>;

/** The ends of a slider; null if the range is unknown, or too wide for one. */
export const sliderRange = ({ minimum, maximum, widget }: Numeric): readonly [number, number] | null =>
  minimum === null || maximum === null || (widget !== 'slider' && maximum - minimum > MAX_SLIDER_RANGE)
    ? null
    : [minimum, maximum];

export const stepOf = ({ minimum, maximum, whole }: Numeric): number => {
  if (whole || minimum === null || maximum === null) return 1;
  const range = maximum - minimum;
  return range <= 1 ? 0.01 : range <= 10 ? 0.1 : 1;
};

const SHORTHAND = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i;

/** `#f80` as `#FF8800`, which the service takes. */
export const fullColor = (text: string): string => text.trim().replace(SHORTHAND, '#$1$1$2$2$3$3').toUpperCase();

export const isMedia = (kind: Field['kind']): kind is MediaKind =>
  kind === 'image' || kind === 'video' || kind === 'audio';

/** Values without addresses of files, because stills do not fetch them. */
export const drawableValues = (fields: readonly Pick<Field, 'key' | 'kind'>[], values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([key, value]) => !(value.includes('://') && fields.some((field) => field.key === key && isMedia(field.kind))),
    ),
  );

/** The values of the template's fields that differ from its defaults. Others come from an older version. */
export const ownValues = (fields: readonly Pick<Field, 'key' | 'default_value'>[], values: Values): Values =>
  Object.fromEntries(
    fields.flatMap(({ key, default_value }) => {
      const value = Object.hasOwn(values, key) ? values[key] : undefined;
      return value === undefined || value === default_value ? [] : [[key, value]];
    }),
  );

export const withValue = (values: Values, key: string, value: string | null): Values => {
  const { [key]: _, ...rest } = values;
  return value === null ? rest : { ...rest, [key]: value };
};
