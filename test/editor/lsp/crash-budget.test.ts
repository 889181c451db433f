import { expect } from 'chai'
import type { LspClient } from './support/lsp-client.ts'
import { lspWorld } from './support/lsp-world.ts'
import type { LspWorld } from './support/lsp-world.ts'

const main = 'file:///main.cdc'
const start = { line: 0, character: 0 }

/** Number of language server restarts. */
async function restartsOf(world: LspWorld): Promise<number> {
  const { values } = (await world.metrics.registry.getSingleMetric('flowfarm_lsp_restarts_total')?.get()) ?? {
    values: [],
  }
  return values.reduce((sum, { value }) => sum + value, 0)
}

/**
 * Resolves once the document was tried and the server crashed, or the document was quarantined. The
 * response to a request comes after either.
 */
async function triedOrAside(client: LspClient, uri: string): Promise<void> {
  await client.ask('textDocument/hover', { textDocument: { uri }, position: start })
}

describe('client that repeatedly crashes the language server', () => {
  it('causes few restarts, receives its retry time, and can use its other documents', async () => {
    await using world = await lspWorld()
    const [attacker, colleague, other] = [
      await world.client('mainnet', '192.0.2.7'),
      await world.client('mainnet', '192.0.2.7'),
      await world.client(),
    ]
    attacker.didOpen('file:///good.cdc', 'good 0')
    colleague.didOpen(main, 'of the colleague 0')
    other.didOpen(main, 'of the other 0')
    expect(await colleague.textAt(main)).to.equal('of the colleague 0')
    await other.diagnosed(main, 'of the other 0')
    await attacker.diagnosed('file:///good.cdc', 'good 0')
    attacker.didOpen(main, 'poison 0 !crash')
    for (let n = 1; n <= 20; n++) {
      attacker.didChange(main, `poison ${n} !crash`, n)
      await triedOrAside(attacker, main)
      attacker.didChange('file:///good.cdc', `good ${n}`, n)
      expect(await attacker.textAt('file:///good.cdc')).to.equal(`good ${n}`)
      for (const [client, name] of [
        [colleague, 'colleague'],
        [other, 'other'],
      ] as const) {
        client.didChange(main, `of the ${name} ${n}`, n)
        expect(await client.textAt(main)).to.equal(`of the ${name} ${n}`)
      }
      world.clock.advance(1000)
    }
    // Three at first, then one after 5 s and one after 10 s. A change during a restart is retried
    // once.
    expect(await restartsOf(world)).to.be.within(3, 6)
    const reported = attacker.received.filter(({ method }) => method === 'flow/documentSetAside')
    expect(reported.length).to.be.within(2, 4)
    expect(reported.at(-1)?.params?.['message']).to.match(/It is retried in \d+ s, at 2026-01-01T00:00:\d\d\.000Z$/)
    for (const client of [colleague, other])
      expect(client.received.some(({ method }) => method === 'flow/documentSetAside')).to.equal(false)
    // A fixed document is served after the pause without another change.
    attacker.didChange(main, 'repaired', 30)
    await attacker.textAt('file:///good.cdc')
    world.clock.advance(20_000)
    await attacker.diagnosed(main, 'repaired')
    expect(await attacker.textAt(main)).to.equal('repaired')
  })

  for (const [how, nameOf] of [
    ['the same name', () => main],
    ['another name', (n: number) => `file:///main-${n}.cdc`],
  ] as const) {
    it(`cannot reset its budget by reconnecting with ${how}`, async () => {
      await using world = await lspWorld()
      const other = await world.client()
      for (let n = 0; n < 20; n++) {
        const attacker = await world.client('mainnet', `2001:db8:1:2::${n.toString(16)}`)
        attacker.didOpen(nameOf(n), `poison ${n} !crash`)
        await attacker.next(
          ({ method, params }) =>
            method === 'flow/documentSetAside' ||
            (method === 'flow/serverStatus' && params?.['state'] === 'restarting'),
        )
        await attacker.close()
        other.didChange(main, `fine ${n}`, n)
        if (n === 0) other.didOpen(main, 'fine 0')
        expect(await other.textAt(main)).to.equal(`fine ${n}`)
      }
      expect(await restartsOf(world)).to.be.within(3, 12)
      expect(world.clock.waiting).to.equal(0)
    })
  }

  for (const what of ['document', 'request']) {
    it(`is charged for a crashing ${what} that it cancelled early`, async () => {
      await using world = await lspWorld()
      const other = await world.client()
      other.didOpen(main, 'fine')
      expect(await other.textAt(main)).to.equal('fine')
      const attacker = await world.client('mainnet', '192.0.2.7')
      for (let n = 0; n < 25; n++) {
        const from = attacker.received.length
        if (what === 'document') {
          attacker.didOpen(`file:///${n}.cdc`, 'poison !crash')
          attacker.notify('textDocument/didClose', { textDocument: { uri: `file:///${n}.cdc` } })
        } else {
          const requested = attacker.ask('workspaceSymbol/resolve', { crash: true }, `crash ${n}`)
          // The next request ensures that the server receives this one before the cancellation.
          const next = attacker.ask('workspaceSymbol/resolve', { crash: false })
          attacker.notify('$/cancelRequest', { id: `crash ${n}` })
          await Promise.all([requested, next])
        }
        // Whether the server crashed or not, the next request is served by the current one, or
        // rejected.
        const { error } = await attacker.ask('workspace/symbol', { query: '' })
        if (error?.code === -32_802)
          await attacker.next(
            ({ method, params }) => method === 'flow/serverStatus' && params?.['state'] === 'ready',
            from,
          )
      }
      expect(await other.textAt(main)).to.equal('fine')
      // A request cancelled before dispatch never reaches the server.
      expect(await restartsOf(world)).to.be.at.most(12)
    })
  }

  it('is charged for crashing requests without a document', async () => {
    await using world = await lspWorld()
    const attacker = await world.client()
    const codes: unknown[] = []
    for (let n = 0; n < 6; n++) codes.push((await attacker.ask('workspaceSymbol/resolve', { crash: true })).error?.code)
    expect(codes).to.deep.equal([-32_802, -32_802, -32_802, -32_803, -32_803, -32_803])
  })

  it('delays other clients by at most one of its documents at a time', async () => {
    await using world = await lspWorld({ limits: { workPerSecond: 10_000, addressWorkPerSecond: 10_000 } })
    const other = await world.client()
    other.didOpen(main, 'fine')
    const attackers = await Promise.all(Array.from({ length: 10 }, () => world.client('mainnet', '192.0.2.7')))
    const [first] = attackers
    first?.didOpen(main, 'poison !crash')
    await first?.next(({ method }) => method === 'flow/documentSetAside')
    first?.didChange(main, 'repaired', 2)
    await first?.ask('workspace/symbol', { query: '' })
    world.clock.advance(5000)
    await first?.diagnosed(main, 'repaired')
    // From now on, every document with this name is tried alone.
    const over = new AbortController()
    const flood = Promise.all(
      attackers.map(async (client) => {
        client.didOpen(main, 'fine')
        for (let version = 2; !over.signal.aborted; version++) {
          client.didChange(main, `fine ${version}`, version)
          await client.textAt(main)
        }
      }),
    )
    for (let n = 0; n < 20; n++) {
      other.didChange(main, `other ${n}`, n)
      expect(await other.textAt(main)).to.equal(`other ${n}`)
    }
    over.abort()
    await flood
  })
})
