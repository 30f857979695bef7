import { deflateRawSync } from 'node:zlib';
import { pageOfText } from '../html.ts';
import type { Prepared } from './report-data.ts';

export interface PageParts {
  script: string;
  style: string;
  prepared: Prepared;
}

/** The whole page in one text. Data is deflated and in base64, where no character means anything to HTML. */
export const pageOf = ({ script, style, prepared }: PageParts): string =>
  pageOfText({
    title: prepared.data.title,
    style,
    script,
    body: `<noscript>This page draws a run with its script: scripts have to be allowed for it.</noscript>
<main id="page" aria-busy="true"></main>
<script type="application/octet-stream" id="data">${packed(Buffer.from(JSON.stringify(prepared.data)))}</script>
<script type="application/octet-stream" id="bytes">${packed(prepared.bytes)}</script>`,
  });

const packed = (bytes: Uint8Array): string => deflateRawSync(bytes).toString('base64');
