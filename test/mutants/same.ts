/** Throws the first difference. (The differences that node:assert prints cost gigabytes for long lists.) */
export function same(found: unknown, expected: unknown, what = 'found'): void {
  const [a, b] = [text(found), text(expected)];
  if (a === b) return;
  let at = 0;
  while (a[at] === b[at]) at++;
  const from = Math.max(0, at - 40);
  throw new Error(`${what}: expected …${b.slice(from, at + 80)}, got …${a.slice(from, at + 120)}`);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint'
      ? `0x${each.toString(16)}`
      : each instanceof Uint8Array
        ? Buffer.from(each).toString('hex')
        : each,
  );
