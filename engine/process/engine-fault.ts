import { messageOf } from '../../platform/logging/message-of.ts';

/**
 * - `composition`: a retry would fail again. The field is for example `layers[2].font_family`.
 * - `infrastructure`: a full disk or a missing program, so a retry may succeed.
 * - `decoder_died`: a program crashed or exceeded its bounds on these bytes, or the machine is out of memory.
 */
export type EngineFault =
  | {
      readonly tag: 'composition';
      readonly code: string;
      readonly message: string;
      readonly field?: string;
      /** The message for the requester. It may quote the composition, so logs and events never contain it. */
      readonly to_requester?: string;
    }
  | { readonly tag: 'infrastructure'; readonly message: string }
  | { readonly tag: 'cancelled' }
  | { readonly tag: 'over_budget'; readonly message: string }
  | { readonly tag: 'decoder_died'; readonly message: string };

export const compositionFault = (code: string, message: string, field?: string): EngineFault =>
  field === undefined ? { tag: 'composition', code, message } : { tag: 'composition', code, message, field };

export const withFieldPrefix = (field: string | undefined, message: string): string =>
  field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;

export const refusalOf = ({
  code,
  field,
  message,
  to_requester,
}: Extract<EngineFault, { tag: 'composition' }>): {
  readonly tag: 'refused';
  readonly reason: string;
  readonly message: string;
} => ({ tag: 'refused', reason: code, message: withFieldPrefix(field, to_requester ?? message) });

/** The second crash of a decoder is a composition fault: the file causes it, and a retry would fail again. */
export const refusedAfterCrash = (fault: EngineFault, what: string, field?: string): EngineFault =>
  fault.tag === 'decoder_died'
    ? compositionFault(
        'decoder_died',
        `${what} crashes its decoder or exceeds its limits. Export the file again, or make it smaller.`,
        field,
      )
    : fault;

export const infrastructureFault = (message: string): EngineFault => ({ tag: 'infrastructure', message });

export const exceptionFault = (cause: unknown): EngineFault => infrastructureFault(messageOf(cause));
