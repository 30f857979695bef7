/** The statements and events of test/compliance, and what the device offers of their options. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { DEFAULTS } from '../../src/model/options.ts';
import { EventType } from '../../src/spec/gen/enums.ts';
import type { CAPABILITY_REG } from '../../src/spec/gen/registers.ts';

type Feature = string | readonly string[] | null;

export interface Statement {
  id: string;
  section: string;
  feature: Feature;
  obsolete: boolean;
  actor: readonly string[];
  /** The requirement. */
  text?: string;
}

export interface ComplianceEvent {
  name: string;
  feature: Feature;
}

export interface Compliance {
  statements: readonly Statement[];
  events: readonly ComplianceEvent[];
  /** By id: the part of the work that can show it, and why. */
  scope: Readonly<Record<string, { phase: string; reason: string }>>;
  /** Options of the standard that the device has. */
  offers(feature: string): boolean;
}

type Capability = keyof typeof CAPABILITY_REG.fields;

/** The capability bit that an option needs; an option that is not here needs what no bit tells of, and is not offered. */
const CAPABILITY_OF: Readonly<Record<string, Capability>> = {
  rd: 'rd',
  srq: 'srq',
  'resize-srq': 'srq',
  bmme: 'bmme',
  mw2a: 'mw',
  mw2b: 'mw',
  'local-invalidate-fencing': 'bmme',
  bqme: 'wrList',
  xrc: 'xrc',
  apm: 'apm',
  multicast: 'multicast',
  atomics: 'atomics',
  'loopback-indicator': 'loopback',
};
const EVENT_OF: Readonly<Record<string, string>> = { 'port-active-event': 'PORT_ACTIVE' };

/** A host can mask each capability (register cap_mask): then the rules for devices without it hold, whatever else the device offers. */
export function offered(feature: string, capabilities: Partial<Record<Capability, number>>): boolean {
  if (feature.startsWith('no-'))
    return feature.slice(3) in CAPABILITY_OF || !offered(feature.slice(3), capabilities);
  const event = EVENT_OF[feature];
  if (event) return event in EventType;
  const capability = CAPABILITY_OF[feature];
  return capability !== undefined && capabilities[capability] === 1;
}

export function readCompliance(folder: string): Compliance {
  const read = (file: string) => parse(readFileSync(`${folder}/${file}.yaml`, 'utf8'));
  return {
    statements: read('ch10').statements,
    events: read('async-events').events,
    scope: read('scope'),
    offers: (feature) => offered(feature, DEFAULTS.capabilities),
  };
}
