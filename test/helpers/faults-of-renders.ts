import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { differenceText } from '../../projectors/verification/difference.ts';
import { verifyRenders } from '../../projectors/verification/verify-renders.ts';

export const faultsOfRenders = async (
  records: RecordLog,
  db: ReadStore['db'],
  generation: number,
): Promise<readonly string[]> => {
  const { differences, behind, moving } = await verifyRenders({ records, db, generation, clock: SYSTEM_CLOCK });
  const rest = behind + moving === 0 ? [] : [`${behind} records are not folded, ${moving} documents move`];
  return [...differences.map(differenceText), ...rest];
};
