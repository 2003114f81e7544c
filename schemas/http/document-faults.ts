import { conditionalMember, count, listOf, object, orNull, text, time } from './shapes.ts';

/** Members of errors about a document of a project. */
export const DOCUMENT_ERROR_MEMBERS = {
  faults: conditionalMember(
    listOf(
      object('A fault of the document.', {
        path: text('The place in the document, like `compositions[0].layers[3].duration`; empty for all of it.'),
        message: text('The fault, and how to correct it.', { minLength: 1 }),
      }),
      'Each fault of the document. Only errors about a document have it.',
    ),
  ),
  version: conditionalMember(count('The newest version of the project. Only an outdated `If-Match` has it.')),
  changed_by: conditionalMember(
    orNull(text(''), 'The user or the API key that added it; null for an operator, or if it is not recorded.'),
  ),
  changed_at: conditionalMember(orNull(time(''), 'When it was added; null if the project has no version.')),
};
