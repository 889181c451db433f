/**
 * How fast the simulated chain is made: what one second of processor time gives of signed EVM transactions, encoded
 * events, drafts, and blocks with all their messages. What a node serves is measured by `scripts/bench/fetch.ts`.
 *
 *     node scripts/bench/ledger.ts [--seed n] [--busyness n] [--blocks n] [--runs n]
 *
 * One thread; each figure is the median of the runs.
 */
import { cpus } from 'node:os'
import { ByteWriter } from '../../src/platform/byte-writer.ts'
import type { DraftEvent } from '../../simnode/ledger/events/draft.ts'
import { writeEventPayload } from '../../simnode/ledger/encoding/messages.ts'
import { signedPayload } from '../../simnode/ledger/evm/evm-payload.ts'
import { evmChainId, evmUsers } from '../../simnode/ledger/evm/evm-world.ts'
import { ledgerChain } from '../../simnode/ledger/ledger-node.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions(import.meta.filename, {
  options: {
    seed: { type: 'string', default: '1' },
    busyness: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '1000' },
    runs: { type: 'string', default: '5' },
  },
})
const [seed, busyness, blocks, runs] = [values.seed, values.busyness, values.blocks, values.runs].map(Number) as [
  number,
  number,
  number,
  number,
]

/** The median of what one second of processor time gives. @param work does it once, by the run's number, and counts */
function perSecond(work: (run: number) => number): string {
  const rates = Array.from({ length: runs }, (_, run) => {
    const start = process.cpuUsage()
    const count = work(run)
    const { user, system } = process.cpuUsage(start)
    return (count / (user + system)) * 1e6
  })
  return Math.round(rates.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0)
    .toLocaleString('en')
    .padStart(12)
}

const chain = ledgerChain({ seed, busyness })
const heights = (run: number): number[] => Array.from({ length: blocks }, (_, nth) => 1 + (run + 1) * blocks + nth)

function eventsOf(height: number): DraftEvent[] {
  const { userTransactions, systemTransactions } = chain.draft(height)
  return [...userTransactions, ...systemTransactions].flatMap(({ events }) => events)
}

const events = heights(-1).flatMap(eventsOf)
const out = new ByteWriter(1024 * 1024)
function encoded(encoding: 'ccf' | 'json-cdc'): number {
  for (const { shape, values } of events) {
    out.clear()
    writeEventPayload(out, shape, values, encoding)
  }
  return events.length
}

function signed(): number {
  const to = evmUsers[0]?.address
  for (const { privateKey, index } of evmUsers) {
    signedPayload(
      {
        type: 2,
        chainId: evmChainId,
        nonce: index,
        gasPrice: 1000,
        gasLimit: 31_000,
        to,
        value: 10n ** 18n,
        input: Buffer.alloc(68),
      },
      privateKey,
    )
  }
  return evmUsers.length
}

function made(run: number): number {
  for (const height of heights(run)) {
    const block = chain.block(height)
    if (block.light.length === 0 || block.results('ccf').length !== block.transactions.length) {
      throw new Error(`height ${height} has other results than transactions`)
    }
  }
  return blocks
}

console.log(`node ${process.version}, ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`)
console.log(
  `seed ${seed}, busyness ${busyness}, ${(events.length / blocks).toFixed(1)} events a block, median of ${runs} runs`,
)
console.log('per second of processor time:')
// The first events are asked for before, so that what they carry is signed.
encoded('ccf')
console.log(`${perSecond(() => encoded('ccf'))}  events in CCF`)
console.log(`${perSecond(() => encoded('json-cdc'))}  events in JSON-CDC`)
console.log(`${perSecond(signed)}  signed EVM transactions`)
console.log(`${perSecond((run) => heights(run + runs).flatMap(eventsOf).length)}  events drafted`)
console.log(`${perSecond(made)}  blocks with all messages`)
