/** The types of the JavaScript client. */
export type * from '../../clients/javascript/src/api.gen.ts'
