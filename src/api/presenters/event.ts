import { z } from 'zod'
import { parseEventType } from '../../chain/event-type.ts'
import type { PayloadFields } from '../../chain/payload-value.ts'
import { addressFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'

const payloadFormat = z
  .unknown()
  .describe(
    'The fields by name: numbers as decimal text, addresses 0x and 16 hex digits, bytes as 0x hex. ' +
      'Null when they could not be decoded.',
  )

/** An event inside a transaction. */
export const eventSchema = z
  .strictObject({
    type: z.string(),
    transaction: idFormat.describe('Id of the transaction.'),
    event_index: countFormat.describe('Position in the transaction.'),
    block_height: heightFormat,
    timestamp: timestampFormat,
    contract_address: addressFormat.nullable().describe('Null for events of the protocol itself.'),
    contract_name: z.string().nullable(),
    event_name: z.string(),
    payload: payloadFormat,
  })
  .meta({ id: 'Event' })
export type Event = z.output<typeof eventSchema>

/** An event by which a system contract tells the protocol of a change. */
export const serviceEventSchema = z
  .strictObject({
    block_height: heightFormat,
    name: z.string(),
    type: z.string(),
    timestamp: timestampFormat,
    fields: payloadFormat,
  })
  .meta({ id: 'ServiceEvent' })
export type ServiceEvent = z.output<typeof serviceEventSchema>

/** An event as it is read from the database. */
export interface EventRow {
  readonly tx_index: number
  readonly event_index: number
  readonly type: string
  /** Null where it could not be decoded. */
  readonly payload: PayloadFields | null
}

/** Where events are: what their rows do not repeat. */
export interface EventPlace {
  readonly height: number
  readonly timestamp: string
}

export function presentEvent(row: EventRow, transactionId: string, place: EventPlace): Event {
  const { address, contract, name } = parseEventType(row.type)
  return {
    type: row.type,
    transaction: transactionId,
    event_index: row.event_index,
    block_height: place.height,
    timestamp: place.timestamp,
    contract_address: address === undefined ? null : `0x${address}`,
    contract_name: contract ?? null,
    event_name: name,
    payload: row.payload,
  }
}

export function presentServiceEvent(row: EventRow, place: EventPlace): ServiceEvent {
  const { name } = parseEventType(row.type)
  return { block_height: place.height, name, type: row.type, timestamp: place.timestamp, fields: row.payload }
}
