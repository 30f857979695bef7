/** The standard and the interface of the device as data: constants, enumerations, opcodes, records. */

export { IbError, type IbErrorCode } from './errors.ts';
export * from './gen/constants.ts';
export * from './gen/enums.ts';
export * from './gen/fields.ts';
export * from './gen/opcodes.ts';
export * from './gen/qp.ts';
export * from './gen/records.ts';
export * from './gen/registers.ts';
export { type Endian, type Fields, type Layout, layout, type Values, type ValuesOf } from './layout.ts';
