import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { createAccount, sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { ledgerChain, startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerChain } from '../../simnode/ledger/ledger-chain.ts'
import type { LedgerState } from '../../simnode/ledger/state/ledger-state.ts'
import type { StatePart } from '../../simnode/ledger/world/cycle.ts'
import { Journal } from '../../simnode/ledger/submissions/journal.ts'
import { Branch } from '../../simnode/ledger/world/branch.ts'
import { externalAccount } from '../../simnode/ledger/world/account.ts'
import { createdAccount, userOfTurn } from '../../simnode/ledger/world/users.ts'
import { cycleLength } from '../../simnode/ledger/world/cycle.ts'
import { flow } from '../../simnode/ledger/world/tokens.ts'
import { NodeClient, passkeyKey, testPayer } from '../support/node-client.ts'

const unit = 100_000_000n
const user = userOfTurn(3)
const to = `0x${user.hex}`

/** All data of a block that a node serves. */
function eventPayloads(chain: LedgerChain, height: number): Buffer[] {
  const block = chain.block(height)
  return [
    block.full,
    block.light,
    ...block.collections,
    ...block.transactions,
    ...block.results('ccf'),
    ...block.results('json-cdc'),
  ]
}

function digestOf(chain: LedgerChain, last: number): string {
  const digest = createHash('sha256')
  for (let height = 0; height <= last; height++)
    for (const message of eventPayloads(chain, height)) digest.update(message)
  return digest.digest('hex')
}

describe('submitted transactions, over cycles and branches', () => {
  it('do not change the chain without any', () => {
    // Computed by code without submissions.
    expect(digestOf(ledgerChain({ seed: 1 }), 430)).to.equal(
      'fb1b968e006ceec218de505fb819de49ebd06136c0bf499f9e770d9b24f1cf25',
    )
    expect(digestOf(ledgerChain({ seed: 7, branch: '250b', busyness: 2 }), 430)).to.equal(
      'f33656610ccbb2a9e027269287034a628de9932b59ef1b1c5d072df6aa4bd8de',
    )
  })

  it('carry over from cycle to cycle, which otherwise return to their initial state', async () => {
    await using node = await startLedgerNode({ seed: 6, head: 190, hasPayer: true })
    await using client = new NodeClient(node.endpoint)
    const key = passkeyKey()
    await client.send(
      await client.signed({
        code: createAccount('emulator', { ...key, startBalance: 10n * unit }),
        proposer: testPayer(),
      }),
    )
    node.advance()
    const account = { address: `0x${externalAccount(1).hex}`, keyIndex: 0, key }
    for (const height of [230, 399, 1005, 2001]) {
      node.setHead(height - 1)
      await client.send(await client.signed({ code: sendFlow('emulator', { amount: unit, to }), proposer: account }))
      node.advance()
    }
    const { balance, keys } = await client.account(account.address)
    expect(balance).to.equal('6.00096000')
    expect(keys.map(({ sequenceNumber }) => sequenceNumber)).to.deep.equal([4])
    const balanceAt = (height: number): bigint => node.chain.stateAt(height).vaults.balance(flow, externalAccount(1))
    expect([190, 191, 229, 230, 398, 399, 1004, 1005, 2000, 2001].map(balanceAt)).to.deep.equal([
      0n,
      1000100000n,
      1000100000n,
      900099000n,
      900099000n,
      800098000n,
      800098000n,
      700097000n,
      700097000n,
      600096000n,
    ])
    const gained = (height: number): bigint =>
      node.chain.stateAt(height).vaults.balance(flow, user) -
      ledgerChain({ seed: 6 }).stateAt(height).vaults.balance(flow, user)
    expect([229, 230, 1004, 2001].map(gained)).to.deep.equal([0n, unit, 2n * unit, 4n * unit])
    // The chain's own transactions are the same as without submissions, and each cycle starts in
    // the final state of the one before.
    expect(node.chain.stateAt(2001).accounts.exists(createdAccount(80))).to.equal(
      ledgerChain({ seed: 6 }).stateAt(2001).accounts.exists(createdAccount(80)),
    )
    for (const cycle of [0, 1, 4, 5, 9])
      expectSame(node.chain.stateAt((cycle + 1) * cycleLength - 1), node.chain.stateBefore(cycle + 1), `cycle ${cycle}`)
  })

  it('produce the same blocks independent of earlier requests, including missing blocks', async () => {
    await using node = await startLedgerNode({ seed: 6, head: 390, hasPayer: true })
    await using client = new NodeClient(node.endpoint)
    const planned = [391, 395, 410].map((height) => node.chain.draft(height).userTransactions.length)
    node.chain.block(391).results('ccf')
    node.chain.stateAt(450)
    const id = await client.send(
      await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: testPayer() }),
    )
    node.advance()
    expect([391, 395, 410].map((height) => node.chain.draft(height).userTransactions.length)).to.deep.equal([
      (planned[0] ?? 0) + 1,
      planned[1],
      planned[2],
    ])
    expect(node.chain.stateAt(450).accounts.exists(externalAccount(1))).to.equal(true)
    const messages = eventPayloads(node.chain, 391)
    node.chain.stateAt(10)
    node.chain.stateAt(900)
    expect(eventPayloads(node.chain, 391)).to.deep.equal(messages)
    expect(node.chain.block(391).transactionIds.map((one) => one.toString('hex'))).to.include(id)
    expect(node.chain.block(391).userTransactionCount).to.equal((planned[0] ?? 0) + 1)
  })

  it('are undone by a fork below them, and may be sent again', async () => {
    await using node = await startLedgerNode({ seed: 6, head: 300, hasPayer: true })
    await using client = new NodeClient(node.endpoint)
    const send = async (): Promise<string> =>
      client.send(await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: testPayer() }))
    const first = await send()
    node.setHead(310)
    const transaction = await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: testPayer() })
    const second = await client.send(transaction)
    node.setHead(320)
    expect(await heights(client, first, second)).to.deep.equal([301, 311])

    node.switchTo('305b', 320)
    expect(await heights(client, first, second)).to.deep.equal([301, 0])
    expect((await client.result(second)).status).to.equal(0)
    expect(node.chain.stateAt(320).accounts.exists(externalAccount(2))).to.equal(false)
    expect((await client.account(testPayer().address)).keys[0]?.sequenceNumber).to.equal(1)
    expect(
      await client.send(transaction).then(
        () => 'taken in',
        (error: unknown) => (error as Error).message,
      ),
    ).to.include('unknown reference block')
    const third = await send()
    node.advance()
    expect(await heights(client, first, second, third)).to.deep.equal([301, 0, 321])
    expect(node.chain.stateAt(321).accounts.exists(externalAccount(2))).to.equal(true)

    node.switchTo('', 325)
    expect(await heights(client, first, second, third)).to.deep.equal([301, 311, 0])
    expect(node.chain.block(321).transactionIds.some((id) => id.toString('hex') === third)).to.equal(false)
  })

  it('are never added to a block that may have been served', async () => {
    await using node = await startLedgerNode({ seed: 6, head: 300, hasPayer: true })
    await using client = new NodeClient(node.endpoint)
    node.setHead(290)
    const id = await client.send(
      await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: testPayer() }),
    )
    node.setHead(300)
    expect((await client.result(id)).status).to.equal(1)
    node.switchTo('295b', 297)
    node.switchTo('', 300)
    node.setHead(305)
    expect(await client.result(id)).to.include({ status: 4, height: 301 })
    // Nor to one in which they have expired.
    node.setHead(1000)
    node.setHead(310)
    const late = await client.send(
      await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: testPayer() }),
    )
    node.setHead(1000)
    expect((await client.result(late)).status).to.equal(1)
    node.advance()
    expect((await client.result(late)).status).to.equal(5)
  })

  it('are dropped when the chain switches to a branch without their reference block', async () => {
    await using node = await startLedgerNode({ seed: 6, head: 300, hasPayer: true })
    await using client = new NodeClient(node.endpoint)
    const id = await client.send(
      await client.signed({ code: createAccount('emulator', passkeyKey()), proposer: testPayer() }),
    )
    node.switchTo('290b', 300)
    expect((await client.result(id)).status).to.equal(1)
    node.advance()
    expect((await client.result(id)).status).to.equal(5)
  })

  it('are in a journal that shares common entries between branches', () => {
    const names = ['', '10b', '10b.20c', '15d']
    const step = fc.record({ name: fc.constantFrom(...names), above: fc.nat(40) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const journal = new Journal()
        const sent: { readonly id: string; readonly branch: Branch; readonly height: number }[] = []
        const seen = new Map<string, Set<number>>()
        const place = (branch: Branch, height: number): string => branch.ownerAt(height)
        for (const [nth, { name, above }] of steps.entries()) {
          const branch = new Branch(name)
          const height = journal.firstUnseen(branch, above)
          let expected = above + 1
          while (seen.get(place(branch, expected))?.has(expected) === true) expected++
          expect(height).to.equal(expected)
          const id = Buffer.from([nth])
          journal.include(branch, height, [{ id, body: {} as never }])
          journal.show(branch, height)
          for (let shown = 0; shown <= height; shown++) {
            const owner = place(branch, shown)
            seen.set(owner, (seen.get(owner) ?? new Set()).add(shown))
          }
          sent.push({ id: id.toString('hex'), branch, height })
        }
        for (const branch of names.map((name) => new Branch(name))) {
          const shared = sent.filter((one) => place(one.branch, one.height) === place(branch, one.height))
          for (const { id, height } of sent)
            expect(journal.heightOf(branch, id)).to.equal(shared.some((one) => one.id === id) ? height : undefined)
          for (let height = 0; height < 70; height++) {
            expect(journal.at(branch, height).map(({ id }) => id.toString('hex'))).to.deep.equal(
              shared.filter((one) => one.height === height).map(({ id }) => id),
            )
            const below = shared.filter((one) => one.height < height).map((one) => one.height)
            expect(journal.lastBelow(branch, height)).to.equal(below.length === 0 ? undefined : Math.max(...below))
          }
        }
      }),
      { numRuns: 200 },
    )
  })
})

async function heights(client: NodeClient, ...ids: readonly string[]): Promise<number[]> {
  return Promise.all(ids.map(async (id) => (await client.result(id)).height))
}

function expectSame(end: LedgerState, next: LedgerState, what: string): void {
  for (const [name, part] of Object.entries<StatePart>({ ...end })) {
    for (const key of part.touched())
      expect(part.read(key), `${what}: ${name} ${key}`).to.equal(next[name as keyof LedgerState].read(key))
  }
}
