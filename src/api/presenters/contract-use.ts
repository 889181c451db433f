import { z } from 'zod'
import { countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'

/** A type of event that a contract emits. */
export const contractEventTypeSchema = z
  .strictObject({
    type: z.string().describe('A.<address>.<contract>.<event>'),
    event_name: z.string(),
    count: countFormat.describe('All events of the type that are indexed; 0 where the code declares it and none is.'),
    last_seen: timestampFormat.nullable().describe('Time of the last block with one.'),
    last_seen_height: heightFormat.nullable().describe('The last block with one.'),
    is_declared: z.boolean().describe('Whether the present code declares it; false too while the code is not known.'),
  })
  .meta({ id: 'ContractEventType' })
export type ContractEventType = z.output<typeof contractEventTypeSchema>

/** A script that imports a contract. */
export const contractScriptSchema = z
  .strictObject({
    script_hash: idFormat.describe('SHA-256 of the script.'),
    tx_count: countFormat.describe('Transactions with the script in the newest blocks that are looked at.'),
    category: z.string().describe('As template_category of its transactions.'),
    label: z.string().describe('As template_label of its transactions.'),
    script_preview: z.string().describe('The beginning of the script.'),
    last_seen_height: heightFormat.describe('The last block with one of these transactions.'),
    counted_blocks: countFormat.describe('How many blocks were looked at.'),
    counted_from_height: heightFormat.describe('The lowest of them.'),
  })
  .meta({ id: 'ContractScript' })
export type ContractScript = z.output<typeof contractScriptSchema>

/** A type of which events are indexed. */
export interface EventTypeRow {
  readonly type: string
  readonly count: number
  readonly last_height: number
}

/** As it is read from the database. */
export const scriptUseRow = z.object({ script_hash: z.string(), count: z.number(), last_height: z.number() })
export type ScriptUseRow = z.output<typeof scriptUseRow>

/** Types that were seen, most events first, and then those that the code declares besides. */
export function presentEventTypes(
  contract: string,
  rows: readonly EventTypeRow[],
  declared: readonly string[],
  times: ReadonlyMap<number, string>,
): ContractEventType[] {
  const seen = rows.map(({ type, count, last_height: height }) => {
    const name = type.slice(contract.length + 1)
    return {
      type,
      event_name: name,
      count,
      last_seen: times.get(height) ?? null,
      last_seen_height: height,
      is_declared: declared.includes(name),
    }
  })
  const known = new Set(seen.map((one) => one.event_name))
  const unseen = declared
    .filter((name) => !known.has(name))
    .toSorted()
    .map((name) => ({
      type: `${contract}.${name}`,
      event_name: name,
      count: 0,
      last_seen: null,
      last_seen_height: null,
      is_declared: true,
    }))
  return [...seen, ...unseen]
}
