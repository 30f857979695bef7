#!/usr/bin/env node
// In the repository the TypeScript sources run directly, so that what is edited is what runs; a package holds what was built from them.
import { existsSync } from 'node:fs';

if (existsSync(new URL('../src/cli/main.ts', import.meta.url))) {
  const { register } = await import('tsx/esm/api');
  register();
  await import('../src/cli/main.ts');
} else {
  await import('../dist/cli/main.js');
}
