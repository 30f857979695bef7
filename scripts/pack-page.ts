// Bundles the page of `openhca report` for a package, which has no bundler: dist/report/page.json.
import { writeFileSync } from 'node:fs';
import { bundlePage } from '../src/report/bundle.ts';

writeFileSync('dist/report/page.json', JSON.stringify(await bundlePage()));
