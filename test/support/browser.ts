import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'] as const;

/** The browser of this machine: that of CHROMIUM, or the first of the usual names on the PATH. */
export function startBrowser(): Promise<Browser> {
  const { CHROMIUM, PATH = '' } = process.env;
  const places = CHROMIUM
    ? [CHROMIUM]
    : PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const executablePath = places.find(isProgram);
  if (executablePath === undefined)
    throw new Error(
      `browser: expected a Chromium ${CHROMIUM ? `at CHROMIUM, ${CHROMIUM}` : 'on the PATH'}, found none (Debian: chromium)`,
    );
  // Pages are our own files, and tests run as root in containers, where there is no sandbox.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
