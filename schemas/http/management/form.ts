import type { Operation } from '../openapi/form.ts';
import type { ManagementPath } from '../routes.ts';

/** Operations of the management interface: pages of the service call it, so there are no samples for other programs. */
export type ManagementOperation = Omit<Operation, 'x-codeSamples'>;

/** The document does not speak of itself. */
export type ManagementPaths = Readonly<
  Record<
    Exclude<ManagementPath, '/manage/v1/openapi.json'>,
    Readonly<Partial<Record<'get' | 'post', ManagementOperation>>>
  >
>;
