import project from '../../package.json' with { type: 'json' };

/** `MAJOR.MINOR.PATCH` (docs/versions.md). */
export const SERVICE_VERSION: string = project.version;
