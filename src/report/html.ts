import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { Prepared } from './report-data.ts';

export interface PageParts {
  script: string;
  style: string;
  prepared: Prepared;
}

/**
 * The whole page in one text. It may load nothing and run nothing but its own script: names in a run are anybody's. Data is deflated and in
 * base64, where no character means anything to HTML.
 */
export function pageOf({ script, style, prepared }: PageParts): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escaped(prepared.data.title)} - OpenHCA</title>
<style>${style}</style>
</head>
<body>
<noscript>This page draws a run with its script: scripts have to be allowed for it.</noscript>
<main id="page" aria-busy="true"></main>
<script type="application/octet-stream" id="data">${packed(Buffer.from(JSON.stringify(prepared.data)))}</script>
<script type="application/octet-stream" id="bytes">${packed(prepared.bytes)}</script>
<script>${script}</script>
</body>
</html>
`;
}

const packed = (bytes: Uint8Array): string => deflateRawSync(bytes).toString('base64');

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** As text or in an attribute. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
