/** Tags of CCF: a payload with its types, an event and a struct definition, a reference to one, `[T]`, a simple type. */
const tag = { payload: 129, eventType: 162, structType: 160, reference: 136, array: 139, simple: 137 } as const

const anyStruct = 39

/** CBOR head of one data item; RFC 8949 §3. */
function head(major: number, argument: number): Buffer {
  const initial = major << 5
  if (argument < 24) return Buffer.from([initial | argument])
  if (argument < 0x1_0000) return Buffer.from([initial | 25, argument >> 8, argument & 0xff])
  const bytes = Buffer.alloc(5, initial | 26)
  bytes.writeUInt32BE(argument, 1)
  return bytes
}

const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const array = (...items: readonly Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items])
const tagged = (number: number, item: Buffer): Buffer => Buffer.concat([Buffer.from([0xd8, number]), item])

export interface ExpandingEvent {
  /** Type id of the event. */
  readonly type: string
  readonly structs: number
  /** Length of the name of the only field of the structs. */
  readonly nameLength: number
}

/** CCF of an event with an array of structs: the name of their field is there once, and once a struct in its JSON text. */
export function expandingPayload({ type, structs, nameLength }: ExpandingEvent): Buffer {
  const eventId = Buffer.alloc(0)
  const structId = Buffer.from([1])
  const structField = array(text('n'.repeat(nameLength)), tagged(tag.simple, head(0, anyStruct)))
  const eventField = array(text('f'), tagged(tag.array, tagged(tag.reference, bytes(structId))))
  const definitions = array(
    tagged(tag.eventType, array(bytes(eventId), text(type), array(eventField))),
    tagged(tag.structType, array(bytes(structId), text(`${type}Struct`), array(structField))),
  )
  const nil = Buffer.from([0xf6])
  const values = Array.from({ length: structs }, () => array(nil))
  return tagged(tag.payload, array(definitions, array(tagged(tag.reference, bytes(eventId)), array(array(...values)))))
}
