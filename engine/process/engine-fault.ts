import { messageOf } from '../../platform/logging/message-of.ts';

/**
 * Why the engine produced no video. `composition`: it cannot be rendered, and a retry would not help (`field` is like
 * `layers[2].font_family`). `infrastructure`: a full disk, a missing program; a retry may succeed. `decoder_died`: a
 * program crashed or exceeded its bounds while reading these bytes, or this machine is out of memory.
 */
export type EngineFault =
  | {
      readonly tag: 'composition';
      readonly code: string;
      readonly message: string;
      readonly field?: string;
      /** The message for whoever gave the composition, which may tell what it holds; it is recorded nowhere. */
      readonly to_requester?: string;
    }
  | { readonly tag: 'infrastructure'; readonly message: string }
  | { readonly tag: 'cancelled' }
  | { readonly tag: 'over_budget'; readonly message: string }
  | { readonly tag: 'decoder_died'; readonly message: string };

export const compositionFault = (code: string, message: string, field?: string): EngineFault =>
  field === undefined ? { tag: 'composition', code, message } : { tag: 'composition', code, message, field };

/** A message for a user that names the field first, once. */
export const namingField = (field: string | undefined, message: string): string =>
  field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;

/** The refusal of a composition: the fault's code, and a message that names the field. */
export const refusalOf = ({
  code,
  field,
  message,
  to_requester,
}: Extract<EngineFault, { tag: 'composition' }>): {
  readonly tag: 'refused';
  readonly reason: string;
  readonly message: string;
} => ({ tag: 'refused', reason: code, message: namingField(field, to_requester ?? message) });

/** A decoder that died twice: the file is at fault, and a retry would not help. */
export const finallyDied = (fault: EngineFault, what: string, field?: string): EngineFault =>
  fault.tag === 'decoder_died'
    ? compositionFault(
        'decoder_died',
        `${what} makes its decoder crash or go past its limits: make it anew, or smaller`,
        field,
      )
    : fault;

export const infrastructureFault = (message: string): EngineFault => ({ tag: 'infrastructure', message });

/** An exception, such as a full disk, as a fault. */
export const thrownFault = (cause: unknown): EngineFault => infrastructureFault(messageOf(cause));
