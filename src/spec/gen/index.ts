// Generated from src/spec by `make gen`: edit the YAML there.

export * from './constants.ts';
export * from './enums.ts';
export * from './opcodes.ts';
export * from './qp.ts';
export * from './records.ts';
export * from './registers.ts';
