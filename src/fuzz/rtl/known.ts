/** What the device is known to do, against the letter, to those that mean no good; docs/fuzz.md tells why each may stay for now. */
const KNOWN: readonly RegExp[] = [
  // A duplicate whose length is wrong is acknowledged like any other; spec: "a duplicate that would fail any check is dropped".
  /response-unasked: .* found a second answer to /,
];

/** Whether a violation is a known one, and of none of these queue pairs, which have to be served by the letter. */
export function isKnown(violation: string, spared: readonly number[]): boolean {
  const qpn = / to QP 0x([0-9a-f]+)/.exec(violation)?.[1];
  if (qpn === undefined || spared.includes(Number.parseInt(qpn, 16))) return false;
  return KNOWN.some((known) => known.test(violation));
}
