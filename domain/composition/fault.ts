import type * as t from 'io-ts';

/** One thing that is wrong with a document: where (`compositions[0].layers[3].duration`; empty for the whole) and what. */
export type Fault = { readonly path: string; readonly message: string };

/** `layers[3].duration: must be > 0` */
export const faultText = (fault: Fault): string =>
  fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`;

const pathOf = (context: t.Context): string =>
  context.reduce(
    (path, { key }) =>
      key === '' ? path : /^\d+$/.test(key) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`,
    '',
  );

const messageOf = (error: t.ValidationError): string => {
  if (error.message !== undefined) return error.message;
  if (error.value === undefined) return 'is required';
  return `must be ${error.context[error.context.length - 1]?.type.name ?? 'something else'}`;
};

/** Every fault of a failed decoding, in the document's order. */
export const faultsOf = (errors: t.Errors): readonly Fault[] =>
  errors.map((error) => ({ path: pathOf(error.context), message: messageOf(error) }));
