/** docs/errata.md: where the device differs from the standard, and why. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

const schema = z.array(
  z.strictObject({
    what: z.string(),
    why: z.string(),
    since: z.string(),
    phase: z.string(),
    statements: z.array(z.string()).min(1),
  }),
);

export type Erratum = z.infer<typeof schema>[number];

export const readErrata = (folder: string): readonly Erratum[] =>
  schema.parse(parse(readFileSync(`${folder}/errata.yaml`, 'utf8')));

export const errataPage = (errata: readonly Erratum[]): string => `# Errata

Written by \`make conformance\` from \`test/compliance/errata.yaml\`: where the device differs from what the standard requires, by statements of
chapter 10. It ends with the part of the work that is named (\`scope.yaml\`). Options that are not offered are no deviations and stand in
[conformance.md](conformance.md); what we chose where the standard leaves freedom stands in [choices.md](choices.md).

| the device | why | since | ends with | statements |
|---|---|---|---|---|
${errata.map(row).join('\n')}
`;

const row = ({ what, why, since, phase, statements }: Erratum): string =>
  `| ${what} | ${why} | ${since} | ${phase} | ${statements.join(', ')} |`;
