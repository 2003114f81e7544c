import type { Schemas } from '../../api/client.ts';

/** A document as the API takes it. The service checks its members, so the generated type has none. */
export const sentDocument = (document: { readonly [name: string]: unknown }): Schemas['ProjectDocument'] =>
  document as Schemas['ProjectDocument'];
