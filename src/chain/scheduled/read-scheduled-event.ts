import { addressField, amountField, FieldShapeError, uint64Field } from '../event-fields.ts'
import type { PayloadFields } from '../payload-value.ts'
import { ufix64Units } from '../tokens/ufix64.ts'
import type { ScheduledChange, ScheduledChangeKind } from './scheduled-change.ts'

const kinds: Readonly<Record<string, Exclude<ScheduledChangeKind, 'failed'>>> = {
  Scheduled: 'scheduled',
  PendingExecution: 'pending',
  Executed: 'executed',
  Canceled: 'canceled',
}

/** What an event of FlowTransactionScheduler tells of, by its name; undefined for events that tell of something else. */
export function scheduledEventKind(name: string): Exclude<ScheduledChangeKind, 'failed'> | undefined {
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined
}

/**
 * Reads the fields of such an event. The handler's uuid and path came with the version of October 2025; since then the
 * type of the handler is empty in `PendingExecution`.
 * Source: onflow/flow-core-contracts `contracts/FlowTransactionScheduler.cdc`.
 * @throws FieldShapeError where they are not as the type must have them
 */
export function readScheduledEvent(
  kind: Exclude<ScheduledChangeKind, 'failed'>,
  place: { readonly txIndex: number; readonly eventIndex: number },
  fields: PayloadFields,
): ScheduledChange {
  const common = {
    ...place,
    kind,
    id: int8Field(fields, 'id'),
    priority: priorityField(fields),
    handlerOwner: addressField(fields, 'transactionHandlerOwner'),
    handlerType: handlerTypeField(fields),
  }
  if (kind === 'canceled') {
    return {
      ...common,
      feesReturned: amountField(fields, 'feesReturned'),
      feesDeducted: amountField(fields, 'feesDeducted'),
    }
  }
  const executionEffort = int8Field(fields, 'executionEffort')
  if (kind === 'executed') return { ...common, ...handlerFields(fields), executionEffort }
  const fees = amountField(fields, 'fees')
  return kind === 'pending'
    ? { ...common, executionEffort, fees }
    : { ...common, ...handlerFields(fields), executionEffort, fees, dueUs: timeField(fields) }
}

function handlerFields(fields: PayloadFields): Pick<ScheduledChange, 'handlerUuid' | 'handlerPublicPath'> {
  if (!('transactionHandlerUUID' in fields)) return {}
  const path = fields['transactionHandlerPublicPath'] ?? null
  if (path !== null && typeof path !== 'string')
    throw new FieldShapeError('field transactionHandlerPublicPath is not a PublicPath?')
  return { handlerUuid: int8Field(fields, 'transactionHandlerUUID'), handlerPublicPath: path ?? undefined }
}

/** A UInt64 that PostgreSQL can hold. */
function int8Field(fields: PayloadFields, name: string): bigint {
  const value = BigInt(uint64Field(fields, name))
  if (value > 0x7fff_ffff_ffff_ffffn) throw new FieldShapeError(`field ${name} is above 2^63`)
  return value
}

function priorityField(fields: PayloadFields): number {
  const value = Number(uint64Field(fields, 'priority'))
  if (value > 0xff) throw new FieldShapeError('field priority is not a UInt8')
  return value
}

function handlerTypeField(fields: PayloadFields): string | undefined {
  const type = fields['transactionHandlerTypeIdentifier']
  if (typeof type !== 'string') throw new FieldShapeError('field transactionHandlerTypeIdentifier is not a String')
  return type === '' ? undefined : type
}

/** The scheduler cuts times to whole seconds, of which each is exact as a number of microseconds. */
function timeField(fields: PayloadFields): number {
  return Number(ufix64Units(amountField(fields, 'timestamp')) / 100n)
}
