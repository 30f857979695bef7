import type { SpecFileData } from './schema.ts';
import type { Source } from './source.ts';
import type { Enum, Field, Opcode, RecordSpec, Region, Register, Spec, Transition } from './spec.ts';

/** Merge the files into one checked description; what is wrong is reported where it stands. */
export function resolve(sources: readonly Source[]): Spec {
  const enums = named(sources, 'enums', resolveEnum);
  const enumNames = new Set(enums.map((e) => e.name));
  const attributes = named(sources, 'qp_attributes', (name, value) => ({
    name,
    bit: typeof value === 'number' ? value : value.bit,
    doc: docOf(value),
  }));
  const attributeNames = new Set(attributes.map((a) => a.name));
  const records = named(sources, 'records', (name, value, source) =>
    resolveRecord(name, value, source, enumNames, attributeNames),
  );
  const recordOf = finder(records);

  return {
    enums,
    attributes,
    records,
    registers: resolveRegisters(sources, enumNames),
    regions: named(sources, 'regions', (name, value, source): Region => {
      const { bar, at, bytes, entry } = value;
      if (bytes === undefined && entry === undefined) {
        source.fail(['regions', name], 'bytes or entry', 'neither');
      }
      const record = entry === undefined ? undefined : recordOf(source, ['regions', name, 'entry'], entry);
      return { name, bar, at, bytes, entry: record, doc: docOf(value) };
    }),
    doorbells: named(sources, 'doorbells', (name, value, source) => {
      const record = recordOf(source, ['doorbells', name, 'record'], value.record);
      if (record.bytes !== 8) source.fail(['doorbells', name, 'record'], 'a record of 8 bytes', record.bytes);
      return { name, at: value.at, record, doc: docOf(value) };
    }),
    constants: named(sources, 'constants', (name, value) => ({
      name,
      value: BigInt(typeof value === 'object' ? value.value : value),
      doc: docOf(value),
    })),
    transitions: resolveTransitions(sources, enums, attributeNames),
    opcodes: resolveOpcodes(sources, recordOf),
  };
}

type Section = Exclude<keyof SpecFileData, 'qp_transitions'>;
type Item<S extends Section> = NonNullable<SpecFileData[S]>[string];
type FindRecord = (source: Source, path: readonly PropertyKey[], name: string) => RecordSpec;

/** Every item of a section in all files, in order, each name once. */
function named<S extends Section, T>(
  sources: readonly Source[],
  section: S,
  make: (name: string, value: Item<S>, source: Source) => T,
): T[] {
  const seen = new Set<string>();
  return sources.flatMap((source) =>
    Object.entries(source.data[section] ?? {}).map(([name, value]) => {
      if (seen.has(name)) source.fail([section, name], `${name} once in ${section}`, 'a second one');
      seen.add(name);
      return make(name, value as Item<S>, source);
    }),
  );
}

const docOf = (value: unknown): string => (value as { doc?: string } | undefined)?.doc ?? '';

function finder(records: readonly RecordSpec[]): FindRecord {
  const byName = new Map(records.map((record) => [record.name, record]));
  return (source, path, name) => byName.get(name) ?? source.fail(path, 'the name of a record', name);
}

function resolveEnum(name: string, value: Item<'enums'>, source: Source): Enum {
  const taken = new Map<number, string>();
  const values = Object.entries(value.values).map(([key, given]) => {
    const number = typeof given === 'number' ? given : given.value;
    const path = ['enums', name, 'values', key];
    if (number >= 2 ** value.width) source.fail(path, `a value of ${value.width} bits`, number);
    if (taken.has(number)) source.fail(path, `a value other than that of ${taken.get(number)}`, number);
    taken.set(number, key);
    return { name: key, value: number, doc: docOf(given) };
  });
  return { name, width: value.width, doc: docOf(value), values };
}

interface FieldData {
  readonly width: number;
  readonly enum?: string | undefined;
  readonly attr?: string | undefined;
  readonly slice?: string | undefined;
  readonly doc?: string | undefined;
}

/** Lay fields out from bit 0 upwards, or from `total` downwards. */
function placeFields(
  fields: Readonly<Record<string, number | FieldData>>,
  order: 'up' | 'down',
  total: number,
  check: (name: string, field: FieldData) => void,
): Field[] {
  let used = 0;
  return Object.entries(fields).map(([name, given]) => {
    const field: FieldData = typeof given === 'number' ? { width: given } : given;
    check(name, field);
    const lsb = order === 'up' ? used : total - used - field.width;
    used += field.width;
    return {
      name,
      reserved: name.startsWith('_'),
      width: field.width,
      lsb,
      enum: field.enum,
      attr: field.attr,
      slice: field.slice,
      doc: field.doc ?? '',
    };
  });
}

const bitsOf = (fields: Readonly<Record<string, number | FieldData>>): number =>
  Object.values(fields).reduce<number>((sum, f) => sum + (typeof f === 'number' ? f : f.width), 0);

function resolveRecord(
  name: string,
  value: Item<'records'>,
  source: Source,
  enumNames: ReadonlySet<string>,
  attributeNames: ReadonlySet<string>,
): RecordSpec {
  const path = ['records', name];
  const total = value.bytes * 8;
  const sum = bitsOf(value.fields);
  if (sum !== total) source.fail([...path, 'fields'], `${total} bits in ${name}`, sum);

  const fields = placeFields(value.fields, value.endian === 'little' ? 'up' : 'down', total, (key, field) => {
    const at = [...path, 'fields', key];
    if (field.enum && !enumNames.has(field.enum))
      source.fail([...at, 'enum'], 'the name of an enum', field.enum);
    if (field.attr && !attributeNames.has(field.attr)) {
      source.fail([...at, 'attr'], 'a name in qp_attributes', field.attr);
    }
  });
  return { name, endian: value.endian, bytes: value.bytes, doc: docOf(value), fields };
}

function resolveRegisters(sources: readonly Source[], enumNames: ReadonlySet<string>): Register[] {
  const taken = new Map<number, string>(); // byte offset to register
  return named(sources, 'registers', (name, value, source): Register => {
    const path = ['registers', name];
    const bytes = value.width / 8;
    if (value.at % bytes !== 0) source.fail([...path, 'at'], `a multiple of ${bytes}`, value.at);
    for (let byte = value.at; byte < value.at + bytes; byte++) {
      if (taken.has(byte)) source.fail([...path, 'at'], `an offset outside ${taken.get(byte)}`, value.at);
      taken.set(byte, name);
    }
    const reset = BigInt(value.reset ?? 0);
    if (reset >> BigInt(value.width) !== 0n) {
      source.fail([...path, 'reset'], `a value of ${value.width} bits`, reset);
    }
    const given = value.fields ?? {};
    const sum = bitsOf(given);
    if (sum > value.width) source.fail([...path, 'fields'], `at most ${value.width} bits in ${name}`, sum);
    const fields = placeFields(given, 'up', value.width, (key, field) => {
      if (field.enum && !enumNames.has(field.enum)) {
        source.fail([...path, 'fields', key, 'enum'], 'the name of an enum', field.enum);
      }
    });
    return { name, at: value.at, width: value.width, access: value.access, reset, doc: docOf(value), fields };
  });
}

function resolveTransitions(
  sources: readonly Source[],
  enums: readonly Enum[],
  attributeNames: ReadonlySet<string>,
): Transition[] {
  const states = new Set(enums.find((e) => e.name === 'qp_state')?.values.map((v) => v.name));
  const seen = new Set<string>();

  return sources.flatMap((source) =>
    (source.data.qp_transitions ?? []).flatMap((value, i) => {
      const path = ['qp_transitions', i];
      const { to, required = [], optional = [] } = value;
      const froms = typeof value.from === 'string' ? [value.from] : value.from;
      if (!states.has(to)) source.fail([...path, 'to'], 'a value of qp_state', to);

      const allowed = new Set<string>();
      for (const [key, list] of Object.entries({ required, optional })) {
        list.forEach((name, j) => {
          if (!attributeNames.has(name)) source.fail([...path, key, j], 'a name in qp_attributes', name);
          if (allowed.has(name)) source.fail([...path, key, j], `${name} once`, 'a second one');
          allowed.add(name);
        });
      }
      return froms.map((from): Transition => {
        if (!states.has(from)) source.fail([...path, 'from'], 'a value of qp_state', from);
        if (seen.has(`${from} ${to}`)) source.fail(path, `${from} to ${to} once`, 'a second one');
        seen.add(`${from} ${to}`);
        return { from, to, required, optional, doc: docOf(value) };
      });
    }),
  );
}

function resolveOpcodes(sources: readonly Source[], recordOf: FindRecord): Opcode[] {
  const taken = new Map<number, string>();
  return named(sources, 'opcodes', (name, value, source): Opcode => {
    const path = ['opcodes', name];
    if (taken.has(value.value)) {
      source.fail([...path, 'value'], `a value other than that of ${taken.get(value.value)}`, value.value);
    }
    taken.set(value.value, name);

    const fixed = ['lrh', 'bth'].map((header) => recordOf(source, path, header));
    const extra = value.headers.map((header, i) => recordOf(source, [...path, 'headers', i], header));
    const headerBytes = [...fixed, ...extra].reduce((sum, record) => sum + record.bytes, 0);
    return { ...value, name, headerBytes, payload: value.payload ?? hasPayload(value), doc: docOf(value) };
  });
}

/** Data travels with SENDs and WRITEs, and with the responses of READs. */
function hasPayload({ op, kind }: Item<'opcodes'>): boolean {
  return op === 'send' || op === 'write' || (op === 'read' && kind === 'response');
}
