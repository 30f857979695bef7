import { fileURLToPath } from 'node:url';

/** The folder that holds package.json; every path in messages and outputs is relative to it. */
export const repositoryRoot = fileURLToPath(new URL('../..', import.meta.url));
