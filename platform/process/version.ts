import project from '../../package.json' with { type: 'json' };

/** The version of the service, `MAJOR.MINOR.PATCH` (docs/versions.md). */
export const SERVICE_VERSION: string = project.version;
