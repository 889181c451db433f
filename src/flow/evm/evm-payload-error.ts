/** Bytes of the EVM, a transaction or its logs, that are not what they have to be. */
export class EvmPayloadError extends Error {}
