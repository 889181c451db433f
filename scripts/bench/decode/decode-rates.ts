import { ByteWriter } from '../../../src/platform/byte-writer.ts'
import { decodePayload, writePayloadValues } from '../../../src/flow/payload.ts'
import type { RecordedEvent } from '../../../simnode/replay/recording.ts'
import { median } from '../farm/quantile.ts'

const out = new ByteWriter(4 * 1024 * 1024)

/** Ways to read an event. */
export const waysToDecode = {
  'CCF to JSON bytes': ({ type, ccf }: RecordedEvent) => void writePayloadValues(type, ccf, out),
  'CCF to object': ({ type, ccf }: RecordedEvent) => void decodePayload(type, ccf),
  'JSON-CDC to JSON bytes': ({ type, json }: RecordedEvent) => void writePayloadValues(type, json, out),
} as const

export interface DecodeRate {
  /** Events per second of processor time, of which neighbours on the machine take less than of the clock. */
  readonly median: number
  readonly best: number
}

export interface RateOptions {
  readonly runs: number
  /** Of each run. */
  readonly seconds: number
}

/** How fast something is done to each of some things, one thread. */
export function rateOf<Item>(
  items: readonly Item[],
  work: (item: Item) => void,
  { runs, seconds }: RateOptions,
): DecodeRate {
  const rates = Array.from({ length: runs }, () => oneRate(items, work, seconds))
  return { median: median(rates), best: Math.max(...rates) }
}

/** The JSON text that each event is decoded to. */
export function decodedTexts(events: readonly RecordedEvent[]): string[] {
  return events.map(({ type, ccf }) => {
    out.clear()
    writePayloadValues(type, ccf, out)
    return out.view().toString()
  })
}

function oneRate<Item>(items: readonly Item[], work: (item: Item) => void, seconds: number): number {
  const start = process.cpuUsage()
  let done = 0
  for (;;) {
    out.clear()
    for (const item of items) work(item)
    done += items.length
    const { user, system } = process.cpuUsage(start)
    const spent = (user + system) / 1e6
    if (spent >= seconds) return done / spent
  }
}
