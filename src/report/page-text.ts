import { existsSync, readFileSync } from 'node:fs';

export interface PageText {
  readonly script: string;
  readonly style: string;
}

/** In a package the page was bundled when that was made; in the repository it is bundled from its sources, as they are. */
const BUILT = new URL('page.json', import.meta.url);

export async function pageText(): Promise<PageText> {
  if (existsSync(BUILT)) return JSON.parse(readFileSync(BUILT, 'utf8')) as PageText;
  const { bundlePage } = await import('./bundle.ts');
  return bundlePage();
}
