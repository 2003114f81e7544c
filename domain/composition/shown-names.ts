import type { Fault } from './fault.ts';
import type { LenientField, LenientProject } from './lenient-decode.ts';
import { nameFault } from './text-rules.ts';

const at = (path: string, name: string | null | undefined): readonly Fault[] => {
  const message = typeof name === 'string' ? nameFault(name) : null;
  return message === null ? [] : [{ path, message }];
};

const labelFaults = (fields: readonly LenientField[], path: string): readonly Fault[] =>
  fields.flatMap(({ label }, index) => at(`${path}fields[${index}].label`, label));

/** Of the names in a project that people are shown: its own, those of its files, of templates and of their fields. */
export const shownNameFaults = ({ name, assets = [], templates = [] }: LenientProject): readonly Fault[] => [
  ...at('name', name),
  ...assets.flatMap(({ file, file_name }, index) => [
    ...at(`assets[${index}].file`, file),
    ...at(`assets[${index}].file_name`, file_name),
  ]),
  ...templates.flatMap((template, index) => [
    ...at(`templates[${index}].name`, template.name),
    ...labelFaults(template.fields ?? [], `templates[${index}].`),
  ]),
];
