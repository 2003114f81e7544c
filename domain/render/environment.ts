/** The failure code of a render that failed because of the service's own environment. It is never charged. */
export const ENVIRONMENT_CODE = 'environment';
