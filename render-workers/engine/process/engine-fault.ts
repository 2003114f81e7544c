import { messageOf } from '../../../platform/logging/message-of.ts';

/**
 * Why the engine made no video. `composition`: what was asked for cannot be drawn, and no repetition will change that
 * (`field` like `layers[2].font_family`). `infrastructure`: the disk, a missing program; another try may do.
 * `decoder_died`: a program crashed or went past its limits over these very bytes, or this machine is out of memory.
 */
export type EngineFault =
  | { readonly tag: 'composition'; readonly code: string; readonly message: string; readonly field?: string }
  | { readonly tag: 'infrastructure'; readonly message: string }
  | { readonly tag: 'cancelled' }
  | { readonly tag: 'over_budget'; readonly message: string }
  | { readonly tag: 'decoder_died'; readonly message: string };

export const compositionFault = (code: string, message: string, field?: string): EngineFault =>
  field === undefined ? { tag: 'composition', code, message } : { tag: 'composition', code, message, field };

/** A message for a user: the field stands first in it, once. */
export const namingField = (field: string | undefined, message: string): string =>
  field === undefined || message.startsWith(field) ? message : `${field}: ${message}`;

/** What becomes of a decoder's death at the second try: then it is what it was given, and no repetition will change it. */
export const finallyDied = (fault: EngineFault, what: string, field?: string): EngineFault =>
  fault.tag === 'decoder_died'
    ? compositionFault(
        'decoder_died',
        `${what} makes its decoder crash or go past its limits: make it anew, or smaller`,
        field,
      )
    : fault;

export const infrastructureFault = (message: string): EngineFault => ({ tag: 'infrastructure', message });

/** Of what was thrown: a full disk, say. */
export const thrownFault = (cause: unknown): EngineFault => infrastructureFault(messageOf(cause));
