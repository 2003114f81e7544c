/**
 * The consumer of `render-status` in `consumer_positions` that carries out erasures. All erasures below its positions are
 * done. Versions before `v2` do not puncture keys, so they have other positions.
 */
export const ERASURES_CONSUMER = 'retention/erasures/v2';
