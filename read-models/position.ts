/**
 * The position of a render or project in a list: 13 digits of created_at (ms), then the id, because ids alone have no
 * order.
 */
export const listPosition = (created_at: number, id: string): string => `${String(created_at).padStart(13, '0')}${id}`;
