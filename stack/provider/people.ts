export type DemoPerson = { readonly id: string; readonly name: string; readonly groups: readonly string[] };

export const OPERATORS = 'video-operators';

export const PEOPLE: readonly DemoPerson[] = [
  { id: 'ada', name: 'Ada', groups: [] },
  { id: 'grace', name: 'Grace', groups: [] },
  { id: 'olga', name: 'Olga, an operator', groups: [OPERATORS] },
];
