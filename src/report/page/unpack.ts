import type { ReportData } from '../data.ts';

/** The data of the page out of its own elements. */
export async function unpack(): Promise<{ data: ReportData; bytes: Uint8Array }> {
  const [json, bytes] = await Promise.all([inflated('data'), inflated('bytes')]);
  return { data: JSON.parse(new TextDecoder().decode(json)) as ReportData, bytes };
}

async function inflated(id: string): Promise<Uint8Array> {
  const place = document.getElementById(id)!;
  const text = place.textContent ?? '';
  place.remove();
  const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
