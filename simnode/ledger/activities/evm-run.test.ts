import { expect } from 'chai'
import { evmTokenTransfers } from '../../../src/flow/evm/evm-token-transfers.ts'
import { readEvmTransaction } from '../../../src/flow/evm/evm-transaction.ts'
import type { EvmTransaction } from '../../../src/flow/evm/evm-transaction.ts'
import { decodePayload } from '../../../src/flow/payload.ts'
import type { PayloadFields } from '../../../src/flow/payload-value.ts'
import { bytesOf, contentsOf } from '../../node/wire.ts'
import { evmActivities } from '../state-at-start.ts'
import { LedgerChain } from '../ledger-chain.ts'
import { ExternalAccounts } from '../state/external-accounts.ts'
import { CycleRun } from '../cycle-run.ts'
import type { LedgerPlan } from '../cycle-run.ts'
import { Branch } from '../world/branch.ts'
import { defaultClock } from '../world/clock.ts'
import { cycleLength } from '../world/cycle.ts'
import { closeEvmBlock } from '../evm/evm-block.ts'
import { evmBlocks } from './evm-run.ts'
import { coas, evmUsers, itemKinds, pictureCount } from '../evm/evm-world.ts'

interface ReportedBlock {
  readonly fields: PayloadFields
  readonly transactions: readonly EvmTransaction[]
}

const bytes = (field: unknown): Buffer => Buffer.from(String(field).replace('0x', ''), 'hex')

function evmPlan(seed: number): LedgerPlan {
  return {
    seed,
    branch: new Branch(''),
    clock: defaultClock,
    busyness: 1,
    activities: evmActivities,
    systemWorks: [evmBlocks],
  }
}

function evmChain(seed: number): LedgerChain {
  return new LedgerChain(evmPlan(seed), 1000)
}

/** EVM data of some blocks, from their messages. */
function reportedBlocks(chain: LedgerChain, first: number, last: number): ReportedBlock[] {
  const blocks: ReportedBlock[] = []
  for (let height = first; height <= last; height++) {
    const transactions: EvmTransaction[] = []
    for (const event of chain
      .block(height)
      .results('ccf')
      .flatMap((result) => contentsOf(result, 4))) {
      const type = bytesOf(event, 1).toString()
      const read = (): PayloadFields => decodePayload(type, bytesOf(event, 5))
      if (type.endsWith('.EVM.TransactionExecuted')) transactions.push(readEvmTransaction(read()))
      if (type.endsWith('.EVM.BlockExecuted')) blocks.push({ fields: read(), transactions })
    }
  }
  return blocks
}

describe('the simulated EVM', () => {
  let blocks: readonly ReportedBlock[]

  before(() => {
    blocks = reportedBlocks(evmChain(4), cycleLength, 2 * cycleLength - 1)
    expect(blocks).to.have.lengthOf(cycleLength)
  })

  it('runs readable transactions without problems, with consecutive nonces per sender', () => {
    const next = new Map<string, bigint>()
    const types = new Set<number>()
    for (const transaction of blocks.flatMap(({ transactions }) => transactions)) {
      const { problems, payload, from = '', type } = transaction
      expect(problems).to.deep.equal([])
      const nonce = BigInt(payload?.nonce ?? -1)
      expect(nonce, from).to.equal(next.get(from) ?? nonce)
      next.set(from, nonce + 1n)
      types.add(type)
    }
    expect([...types].sort((a, b) => a - b)).to.deep.equal([0, 1, 2, 255])
  })

  it('closes each block with the hash of its content, except the last of a cycle, on top of its parent', () => {
    blocks.forEach(({ fields, transactions }, place) => {
      const block = closeEvmBlock({
        parentHash: bytes(fields['parentHash']),
        height: Number(fields['height']),
        timestamp: Number(fields['timestamp']),
        totalSupply: BigInt(fields['totalSupply'] as string),
        prevrandao: bytes(fields['prevrandao']),
        transactions: transactions.map(({ type, hash, status, gasUsed, logs }) => ({
          type,
          hash: () => bytes(hash),
          succeeded: status === 1,
          gasUsed: Number(gasUsed),
          logs: logs.map(({ address, topics, data }) => {
            return { address: bytes(address), topics: topics.map(bytes), data: Buffer.from(data) }
          }),
        })),
      })
      const reported = bytes(fields['hash'])
      if (place < cycleLength - 1) expect(reported).to.deep.equal(block.hash)
      const above = blocks[place + 1]
      if (above !== undefined) expect(bytes(above.fields['parentHash'])).to.deep.equal(reported)
    })
  })

  it('logs all token activity, from the first block on', () => {
    const reported = reportedBlocks(evmChain(4), 1, 90)
    const transfers = reported
      .flatMap(({ transactions }) => transactions)
      .flatMap(({ logs }) => evmTokenTransfers(logs, 'emulator'))
    const held = new Map<string, bigint>()
    const owners = new Map<string, string>()
    for (const { token, standard, tokenId, from, to, amount } of transfers) {
      if (standard === 721) owners.set(`${token} ${tokenId}`, String(to))
      else {
        const key = (holder: string): string => `${token} ${holder}${standard === 20 ? '' : ` ${tokenId}`}`
        if (from !== null) held.set(key(from), (held.get(key(from)) ?? 0n) - BigInt(amount))
        if (to !== null) held.set(key(to), (held.get(key(to)) ?? 0n) + BigInt(amount))
      }
    }
    const { evm } = evmChain(4).stateAt(90)
    expect(owners).to.have.lengthOf(pictureCount)
    for (const [key, owner] of owners) expect(evm.read(`owner ${key}`), key).to.equal(owner)
    expect(held).to.have.lengthOf(2 * (evmUsers.length + coas.length) + itemKinds * evmUsers.length)
    for (const [key, amount] of held) {
      const kind = key.split(' ').length === 2 ? 'tokens' : 'items'
      expect(evm.read(`${kind} ${key}`), key).to.equal(String(amount))
    }
    expect([...evm.touched()].filter((key) => /^(tokens|items)/.test(key)).length).to.be.above(20)
  })

  it('ends each cycle in the state in which the next starts', () => {
    for (const cycle of [0, 1, 77, 1_000_003]) {
      const end = evmChain(cycle).stateAt((cycle + 1) * cycleLength - 1)
      const start = new CycleRun(evmPlan(cycle), cycle + 1, {
        before: () => ExternalAccounts.atGenesis(false),
        at: () => [],
      }).state
      for (const key of end.evm.touched()) {
        expect(start.evm.read(key), `${key} after cycle ${cycle}`).to.equal(end.evm.read(key))
      }
    }
  })
})
