import type { CatalogueReadModel } from '../../read-models/catalogue/management.ts';
import type { Doors, Route } from '../access/doors.ts';
import { getMe } from './get-me.ts';

export const meRoutes = (doors: Doors, read_model: CatalogueReadModel): readonly Route[] => [
  doors.forSignedIn('GET', '/manage/v1/me', getMe(read_model)),
];
