import { ApiRefusal, type Schemas } from '../../api/client.ts';

export type DocumentFault = { readonly path: string; readonly message: string };

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null;

const isFault = (value: unknown): value is DocumentFault =>
  isObject(value) && typeof value.path === 'string' && typeof value.message === 'string';

/** The faults of a document that the service refused; empty for another error. */
export const documentFaults = (error: unknown): readonly DocumentFault[] => {
  if (!(error instanceof ApiRefusal) || !isObject(error.body) || !Array.isArray(error.body.faults)) return [];
  return error.body.faults.filter(isFault);
};

export type Outdated = Pick<Schemas['ProjectVersion'], 'version' | 'added_by'> & { readonly at: number | null };

/** The version that another person added meanwhile; null for another error. */
export const outdatedBy = (error: unknown): Outdated | null => {
  if (!(error instanceof ApiRefusal) || error.status !== 412 || !isObject(error.body)) return null;
  const { version, changed_by, changed_at } = error.body;
  if (typeof version !== 'number') return null;
  return {
    version,
    added_by: typeof changed_by === 'string' ? changed_by : null,
    at: typeof changed_at === 'number' ? changed_at : null,
  };
};
