/** Tests that are under way in this process. */
const active = new Set<string>();

export const testBegins = (name: string): unknown => active.add(name);
export const testEnds = (name: string): unknown => active.delete(name);

/** The test under way; empty outside of tests, and where several are. */
export const currentTest = (): string => (active.size === 1 ? [...active][0]! : '');
