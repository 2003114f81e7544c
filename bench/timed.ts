/** `cpu_ms` is the CPU time of this process, including concurrent work. */
export type TimedResult<A> = { readonly took_ms: number; readonly cpu_ms: number; readonly result: A };

export const measureTime = async <A>(work: () => Promise<A>): Promise<TimedResult<A>> => {
  const [began, used] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(used);
  return { took_ms: performance.now() - began, cpu_ms: (user + system) / 1_000, result };
};
