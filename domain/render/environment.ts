/** The code of a render that failed by the service's own environment, and not by anything of its own. Never charged. */
export const ENVIRONMENT_CODE = 'environment';
