// What a package needs beside what tsc makes: the page of `openhca report`, bundled, and the program for cards.
import { copyFileSync, writeFileSync } from 'node:fs';
import { bundlePage } from '../src/report/bundle.ts';

writeFileSync('dist/report/page.json', JSON.stringify(await bundlePage()));
copyFileSync('src/board/uio-helper.c', 'dist/board/uio-helper.c');
