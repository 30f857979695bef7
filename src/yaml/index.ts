/** YAML files: their values, and all that is wrong with them, each mistake with its place. */

export { type Path, show } from './issues.ts';
export { byPlace, formatMistake, LocatedYaml, type Mistake, type Place } from './located.ts';
