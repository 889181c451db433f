/**
 * Fields that are declared `[UInt8]`, of the core events in which they can be empty.
 *
 * JSON-CDC does not say the element type of an empty array, CCF does. So that both give the same text, an empty array
 * is `[]` in both, with the exception of these fields, which are `"0x"` in both: a reader of them meets one kind of
 * value only. Elsewhere an array that is not empty tells by itself whether it holds bytes.
 */
const byteFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['EVM.TransactionExecuted', new Set(['payload', 'logs', 'returnedData', 'precompiledCalls'])],
])

const contractEvent = /^A\.[0-9a-f]{16}\.(.+)$/

/** The fields of the event `type` whose empty array is written as `"0x"`; undefined for most types. */
export function byteFieldsOf(type: string): ReadonlySet<string> | undefined {
  const name = contractEvent.exec(type)?.[1]
  return name === undefined ? undefined : byteFields.get(name)
}
