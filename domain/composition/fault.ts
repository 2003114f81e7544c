import type * as t from 'io-ts';

/** `path` is like `compositions[0].layers[3].duration`, and empty for the whole document. */
export type Fault = { readonly path: string; readonly message: string };

export const faultText = (fault: Fault): string =>
  fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`;

/** In order, each fault once. */
export const distinctFaults = (faults: readonly Fault[]): readonly Fault[] => [
  ...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values(),
];

const LONGEST_NAME = 64;

/** Names that are not identifiers are quoted, as `["a.b"]`. Long names are cut. */
const memberText = (name: string): string => {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && name.length <= LONGEST_NAME) return `.${name}`;
  const shown = name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`;
  return `[${JSON.stringify(shown).replace(/[\u007f-\u009f]/g, '?')}]`;
};

const pathOf = (context: t.Context): string =>
  context
    .map(({ key }, level) => {
      if (level === 0) return '';
      return Array.isArray(context[level - 1]?.actual) ? `[${key}]` : memberText(key);
    })
    .join('')
    .replace(/^\./, '');

const messageOf = (error: t.ValidationError): string => {
  if (error.message !== undefined) return error.message;
  if (error.value === undefined) return 'is required';
  return `must be ${error.context[error.context.length - 1]?.type.name ?? 'something else'}`;
};

export const faultsOf = (errors: t.Errors): readonly Fault[] =>
  errors.map((error) => ({ path: pathOf(error.context), message: messageOf(error) }));
