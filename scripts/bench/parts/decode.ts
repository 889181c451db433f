import type { BenchSheet } from '../bench-run.ts'
import { decodedTexts, rateOf, waysToDecode } from '../decode/decode-rates.ts'
import { fetchEvents } from '../decode/fetch-events.ts'
import { startSimulatedNode } from '../simulated-node.ts'

const blocks = 200

/** Decoding of payloads, and V8 reading what comes of it. */
export async function benchDecode(sheet: BenchSheet): Promise<void> {
  await using node = await startSimulatedNode(blocks)
  const events = await fetchEvents(node.endpoint, node.from, blocks)
  const options = { runs: 7, seconds: sheet.size.decodeSeconds }
  const usEach = (rate: { readonly median: number }): number => 1e6 / rate.median
  const parse = (texts: readonly string[]): number => usEach(rateOf(texts, (text) => void JSON.parse(text), options))
  sheet.note(
    'decode.ccf',
    usEach(rateOf(events, waysToDecode['CCF to JSON bytes'], options)),
    parse(decodedTexts(events)),
  )
  sheet.note(
    'decode.json-cdc',
    usEach(rateOf(events, waysToDecode['JSON-CDC to JSON bytes'], options)),
    parse(events.map(({ json }) => json.toString())),
  )
}
