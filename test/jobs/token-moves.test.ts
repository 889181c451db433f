import { expect } from 'chai'
import type { DecodedBlock, DecodedTransaction } from '../../src/flow/decoded-block.ts'
import { readTokenMoves } from '../../src/flow/tokens/read-token-moves.ts'
import type { TokenMoves } from '../../src/flow/tokens/token-moves.ts'
import { ufix64Units } from '../../src/flow/tokens/ufix64.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { annotatedTransactions } from '../support/recording-annotations.ts'
import type { AnnotatedTransaction, AnnotatedTransfer } from '../support/recording-annotations.ts'

/** Net gains, in units, by `<token or item> <account or nobody>`. Zero gains are omitted. */
type Net = Record<string, bigint>

type Move = readonly [what: string, from: string | null, to: string | null, units: bigint]

function netOf(moves: readonly Move[]): Net {
  const net = new Map<string, bigint>()
  for (const [what, from, to, units] of moves) {
    for (const [who, gain] of [
      [from, -units],
      [to, units],
    ] as const) {
      net.set(`${what} ${who ?? 'nobody'}`, (net.get(`${what} ${who ?? 'nobody'}`) ?? 0n) + gain)
    }
  }
  return Object.fromEntries([...net].filter(([, units]) => units !== 0n).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function notedNet(transfers: readonly AnnotatedTransfer[]): Net {
  return netOf(
    transfers.map((noted) =>
      'token' in noted
        ? [noted.token, noted.from, noted.to, ufix64Units(noted.amount)]
        : [`${noted.nft} ${noted.id}`, noted.from, noted.to, 1n],
    ),
  )
}

function derivedNet({ fungible, nonFungible }: TokenMoves): Net {
  return netOf([
    ...fungible
      .filter(({ type }) => type !== 'fee')
      .map(({ token, from = null, to = null, amount }) => [`${token}.Vault`, from, to, ufix64Units(amount)] as const),
    ...nonFungible.map(({ token, id, from = null, to = null }) => [`${token}.NFT ${id}`, from, to, 1n] as const),
  ])
}

/** Gains of accounts by the standards' events, without pairing. */
function netOfEvents({ events }: DecodedTransaction): Net {
  const moves: Move[] = []
  for (const { type, fields } of events) {
    const text = (name: string): string | null => (fields?.[name] ?? null) as string | null
    const units = (): bigint => ufix64Units(text('amount') ?? '')
    if (type.endsWith('.FungibleToken.Withdrawn')) moves.push([text('type') ?? '', text('from'), null, units()])
    else if (type.endsWith('.FungibleToken.Deposited')) moves.push([text('type') ?? '', null, text('to'), units()])
    else if (type.endsWith('.NonFungibleToken.Withdrawn'))
      moves.push([`${text('type')} ${text('id')}`, text('from'), null, 1n])
    else if (type.endsWith('.NonFungibleToken.Deposited'))
      moves.push([`${text('type')} ${text('id')}`, null, text('to'), 1n])
  }
  return ofFlowAccounts(netOf(moves))
}

/** Without `nobody` and EVM accounts. */
function ofFlowAccounts(net: Net): Net {
  return Object.fromEntries(Object.entries(net).filter(([key]) => / 0x[0-9a-f]{16}$/.test(key)))
}

function withFees(moves: TokenMoves): Net {
  const { fungible } = moves
  return derivedNet({ ...moves, fungible: fungible.map((transfer) => ({ ...transfer, type: 'transfer' })) })
}

describe('token transfers of the recording', () => {
  let blocks: readonly DecodedBlock[]
  let noted: readonly AnnotatedTransaction[]
  const movesAt = ({ height, index }: { height: number; index: number }): TokenMoves => {
    const transaction = blocks[height]?.transactions[index]
    if (transaction === undefined) throw new Error(`no transaction ${index} at height ${height}`)
    return readTokenMoves(transaction, 'emulator')
  }
  const typesOf = (label: string): string[] => {
    const moves = noted.filter((one) => one.label === label && one.outcome === 'ok').map(movesAt)
    if (moves.length === 0) throw new Error(`no transaction is called ${label}`)
    const types = moves.flatMap(({ fungible, nonFungible }) => [...fungible, ...nonFungible].map(({ type }) => type))
    return [...new Set(types)].filter((type) => type !== 'fee').toSorted()
  }

  before(async () => {
    blocks = await decodedRecording('base')
    noted = await annotatedTransactions('base')
  })

  it('match the intent of each transaction', () => {
    const withNotes = noted.filter(({ note }) => note.transfers !== undefined)
    expect(withNotes.length).to.equal(370)
    for (const one of withNotes) {
      const place = `${one.label} at ${one.height}.${one.index}`
      expect(derivedNet(movesAt(one)), place).to.deep.equal(notedNet(one.note.transfers ?? []))
    }
  })

  it('match the intent of each transaction in each version of a rolled-back chain', async () => {
    const ofFork = (await annotatedTransactions('fork')).filter(({ note }) => note.transfers !== undefined)
    const seen = new Set<string>()
    for (const version of ['a', 'b', 'c']) {
      const ofVersion = await decodedRecording('fork', { version })
      for (const { height, index, txId, label, note } of ofFork) {
        const transaction = ofVersion[height]?.transactions[index]
        if (transaction?.id.toString('hex') !== txId) continue
        seen.add(txId)
        const moves = readTokenMoves(transaction, 'emulator')
        expect(derivedNet(moves), `${label} at ${height}.${index} of ${version}`).to.deep.equal(
          notedNet(note.transfers ?? []),
        )
      }
    }
    expect(seen.size).to.equal(new Set(ofFork.map(({ txId }) => txId)).size)
  })

  it('credit and debit by the events, in every transaction', async () => {
    const chains = [blocks]
    for (const version of ['a', 'b', 'c']) chains.push(await decodedRecording('fork', { version }))
    for (const chain of chains) {
      for (const { height, transactions } of chain) {
        for (const transaction of transactions) {
          const moves = readTokenMoves(transaction, 'emulator')
          const place = `${height}.${transaction.index}`
          expect(ofFlowAccounts(withFees(moves)), place).to.deep.equal(netOfEvents(transaction))
          expect(moves.problems, place).to.deep.equal([])
          for (const list of [moves.fungible, moves.nonFungible]) {
            const positions = list.map(({ eventIndex }) => eventIndex)
            expect(positions, place).to.deep.equal(positions.toSorted((a, b) => a - b))
          }
        }
      }
    }
  })

  it('are the same in both encodings of events', async () => {
    const others = await decodedRecording('base', { encoding: 'json-cdc' })
    for (const block of blocks) {
      const other = others[block.height]?.transactions ?? []
      for (const [index, transaction] of block.transactions.entries()) {
        const moves = readTokenMoves(other[index] as typeof transaction, 'emulator')
        expect(moves).to.deep.equal(readTokenMoves(transaction, 'emulator'))
      }
    }
  })

  it('include one fee per paying transaction, including failed ones', () => {
    for (const { height, transactions } of blocks) {
      for (const transaction of transactions) {
        const fees = readTokenMoves(transaction, 'emulator').fungible.filter(({ type }) => type === 'fee')
        const deducted = transaction.events.filter(({ type }) => type.endsWith('.FlowFees.FeesDeducted'))
        expect(
          fees.map(({ amount }) => amount),
          `${height}.${transaction.index}`,
        ).to.deep.equal(deducted.map(({ fields }) => fields?.['amount']))
        if (!transaction.isSystem) for (const { from } of fees) expect(from).to.equal(transaction.payer)
      }
    }
  })

  it('have a reason', () => {
    expect(typesOf('flow/transfer')).to.deep.equal(['transfer'])
    expect(typesOf('flow/mint')).to.deep.equal(['mint'])
    // No event reports burned FLOW. The script shows it.
    expect(typesOf('flow/burn')).to.deep.equal(['burn'])
    expect(typesOf('ft/mint')).to.deep.equal(['mint'])
    expect(typesOf('ft/burn')).to.deep.equal(['burn'])
    expect(typesOf('nft/mint-batch')).to.deep.equal(['mint'])
    expect(typesOf('nft/burn')).to.deep.equal(['burn'])
    expect(typesOf('nft/destroy')).to.deep.equal(['burn'])
    expect(typesOf('nft/two-hops-in-one-tx')).to.deep.equal(['transfer'])
    expect(typesOf('market/buy')).to.deep.equal(['transfer'])
    for (const label of [
      'staking/register-node',
      'staking/register-delegator',
      'staking/stake-new-tokens',
      'staking/stake-rewards',
      'staking/delegator-stake-rewards',
    ]) {
      expect(typesOf(label), label).to.deep.equal(['stake'])
    }
    for (const label of ['staking/withdraw-unstaked', 'staking/delegator-withdraw-unstaked']) {
      expect(typesOf(label), label).to.deep.equal(['unstake'])
    }
    for (const label of ['staking/withdraw-rewards', 'staking/delegator-withdraw-rewards']) {
      expect(typesOf(label), label).to.deep.equal(['reward'])
    }
    expect(typesOf('staking/admin-pay-rewards')).to.deep.equal(['mint', 'reward'])
    expect(typesOf('staking/admin-pay-and-move')).to.include.members(['mint', 'reward', 'stake', 'unstake'])
    for (const label of ['evm/coa-deposit', 'evm/coa-withdraw', 'evm/deposit-to-address']) {
      expect(typesOf(label), label).to.deep.equal(['bridge'])
    }
  })

  it('have the EVM side of bridged tokens', () => {
    const [deposit] = noted.filter(({ label }) => label === 'evm/deposit-to-address').map(movesAt)
    const [crossing] = deposit?.fungible.filter(({ type }) => type === 'bridge') ?? []
    expect(crossing).to.deep.include({
      from: '0xe03daebed8ca0615',
      to: '0x9d3d9968383e21ca56ff357c60b4383cce201305',
      amount: '3.08278257',
    })
    const [withdrawal] = noted.filter(({ label }) => label === 'evm/coa-withdraw').map(movesAt)
    const [back] = withdrawal?.fungible.filter(({ type }) => type === 'bridge') ?? []
    expect(back?.from).to.match(/^0x[0-9a-f]{40}$/)
    expect(back?.to).to.match(/^0x[0-9a-f]{16}$/)
  })
})
