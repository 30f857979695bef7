#!/usr/bin/env node
// Runs the TypeScript sources directly, so that what is edited is what runs.
import { register } from 'tsx/esm/api';

register();
await import('../src/cli/main.ts');
