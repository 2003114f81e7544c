export type DemoPerson = {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  /** The part of the person in the demo. */
  readonly role: string;
  readonly groups: readonly string[];
};

export const OPERATORS = 'video-operators';

export const PEOPLE: readonly DemoPerson[] = [
  { id: 'ada', name: 'Ada', role: 'Owns the demo account', groups: [] },
  {
    ...{ id: 'grace', name: 'Grace', email: 'grace@example.org' },
    ...{ role: 'Has no user yet; accepts invitations', groups: [] },
  },
  { id: 'olga', name: 'Olga', role: 'Sees queues, workers and all accounts', groups: [OPERATORS] },
];
