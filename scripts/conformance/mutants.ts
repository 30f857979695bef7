/** How many mutants break each rule; one that nothing can tell from the original breaks none. */
export function countMutants(
  mutants: readonly { readonly rules: readonly string[]; readonly equivalent?: string | undefined }[],
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { rules, equivalent } of mutants)
    for (const id of equivalent ? [] : rules) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
