const MAX_DEPTH = 5;
const MAX_CAUSES = 10;

const isPlain = (value: unknown): boolean => ['number', 'boolean', 'string'].includes(typeof value);

const causesOf = (error: Error): readonly Error[] => {
  const of_several: unknown = Object(error).errors;
  const causes: readonly unknown[] = Array.isArray(of_several) ? of_several : [error.cause];
  return causes.filter((cause) => cause instanceof Error).slice(0, MAX_CAUSES);
};

const membersOf = (error: Error, depth: number): Readonly<Record<string, unknown>> => {
  const causes = depth < MAX_DEPTH ? causesOf(error) : [];
  return {
    ...Object.fromEntries(Object.entries(error).filter(([, value]) => isPlain(value))),
    ...{ type: error.name, message: error.message, stack: error.stack },
    ...(causes.length > 0 ? { causes: causes.map((cause) => membersOf(cause, depth + 1)) } : {}),
  };
};

/**
 * An error without its members that are objects, because they can have texts of people. Errors of MongoDB have the
 * documents of a failed write, and errors of Blob the request and its signed URL.
 */
export const errorForLog = (error: unknown): unknown => (error instanceof Error ? membersOf(error, 1) : error);
