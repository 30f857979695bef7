import { IbError } from '../spec/errors.ts';

/** Whether a text is meant as bytes in hexadecimal: pairs of digits, with blanks, colons, commas or 0x between them. */
export const looksLikeHex = (text: string): boolean =>
  /^[\s0-9a-f:,x]+$/i.test(text) && /[0-9a-f]/i.test(text);

/** The bytes of such a text. */
export function bytesOfHex(text: string, where: string): Uint8Array {
  const digits = text.replaceAll(/0x|[\s:,]/gi, '');
  const wrong = /[^0-9a-f]/i.exec(digits);
  if (wrong || digits.length === 0) {
    const found = wrong ? JSON.stringify(wrong[0]) : 'nothing';
    throw new IbError('bad-argument', `${where}: expected bytes in hexadecimal, found ${found}`);
  }
  if (digits.length % 2 !== 0)
    throw new IbError(
      'bad-argument',
      `${where}: expected two digits for each byte, found ${digits.length} digits`,
    );
  return Uint8Array.from(digits.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}

export const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
