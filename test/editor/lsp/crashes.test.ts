import { getPriority } from 'node:os'
import { expect } from 'chai'
import fc from 'fast-check'
import type { LspClient } from './support/lsp-client.ts'
import { fakeServerProgram, lspWorld } from './support/lsp-world.ts'
import type { LspWorld } from './support/lsp-world.ts'

const main = 'file:///main.cdc'
const start = { line: 0, character: 0 }

function kill(world: LspWorld): void {
  const pid = world.server.pidOf('mainnet')
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // The process had already exited.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Resolves when the client is notified that the server is ready again. */
async function restarted(client: LspClient, from: number): Promise<void> {
  await client.next(({ method, params }) => method === 'flow/serverStatus' && params?.['state'] === 'ready', from)
}

describe('language server channel after a server crash', () => {
  it('restarts the server, reopens all documents in order, and fails pending requests as retryable', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    for (const name of ['c', 'a', 'b']) client.didOpen(`file:///${name}.cdc`, `text of ${name}`)
    client.didChange('file:///a.cdc', 'changed', 7, { start, end: { line: 0, character: 4 } })
    const lost = client.ask('textDocument/never', { textDocument: { uri: main }, position: start })
    await client.textAt('file:///a.cdc')
    const from = client.received.length
    kill(world)
    expect((await lost).error).to.include({ code: -32_802 })
    await restarted(client, from)
    expect(await client.textAt('file:///b.cdc')).to.equal('text of b')
    const again = client.received
      .slice(from)
      .filter(({ method }) => method === 'textDocument/publishDiagnostics')
      .map(({ params }) => [params?.['uri'], params?.['version']])
    expect(again).to.deep.equal([
      ['file:///c.cdc', 1],
      ['file:///a.cdc', 7],
      ['file:///b.cdc', 1],
    ])
    expect(await client.textAt('file:///a.cdc')).to.equal('changed of a')
    expect(client.received.slice(from).find(({ method }) => method === 'flow/serverStatus')?.params).to.deep.equal({
      state: 'restarting',
    })
  })

  it('preserves message order during the restart', async () => {
    await using world = await lspWorld()
    const client = await world.client()
    client.didOpen(main, 'v1')
    await client.textAt(main)
    kill(world)
    for (let version = 2; version <= 30; version++) client.didChange(main, `v${version}`, version)
    expect(await client.textAt(main)).to.equal('v30')
    const reported = client
      .diagnosticsOf(main)
      .flat()
      .map((text) => Number(text.slice(1)))
    expect(reported).to.deep.equal(reported.toSorted((a, b) => a - b))
    expect(reported.at(-1)).to.equal(30)
    // Queued changes of a document are merged before they are sent.
    const { result } = await client.ask('textDocument/hover', { textDocument: { uri: main }, position: start })
    expect((result as { times: number }).times).to.be.lessThan(5)
  })

  for (const word of ['crash', 'late-crash', 'garbage', 'deep', 'hang']) {
    it(`quarantines a document that always crashes the server (${word}), notifies its owner, and serves other documents`, async () => {
      await using world = await lspWorld({ limits: { hangMs: 300, stableMs: 60_000 } })
      const [victim, other] = [await world.client(), await world.client()]
      other.didOpen(main, 'of the other')
      victim.didOpen('file:///good.cdc', 'good')
      await other.diagnosed(main, 'of the other')
      victim.didOpen(main, `poison !${word}`)
      const { params } = await victim.next(({ method }) => method === 'flow/documentSetAside')
      expect(params).to.include({ uri: main, until: new Date(world.clock.now() + 5000).toISOString() })
      await victim.diagnosed(main, /not checked: the language server crashed several times on it/)
      expect(await other.textAt(main)).to.equal('of the other')
      expect(await victim.textAt('file:///good.cdc')).to.equal('good')
      expect(
        (await victim.ask('textDocument/hover', { textDocument: { uri: main }, position: start })).error?.code,
      ).to.equal(-32_803)
      expect(other.received.some(({ method }) => method === 'flow/documentSetAside')).to.equal(false)
      // A change is tried when the pause ends, and served if it is good.
      victim.didChange(main, 'repaired', 2)
      await victim.textAt('file:///good.cdc')
      expect(victim.diagnosticsOf(main).flat()).to.not.include('repaired')
      world.clock.advance(5000)
      await victim.diagnosed(main, 'repaired')
      expect(await victim.textAt(main)).to.equal('repaired')
    })
  }

  it('rejects requests about a quarantined document until the pause ends', async () => {
    await using world = await lspWorld()
    const [victim, other] = [await world.client(), await world.client()]
    other.didOpen(main, 'fine')
    victim.didOpen(main, 'poison to be asked about')
    // The responses show that both documents were processed, so neither is suspected.
    for (const client of [other, victim]) await client.textAt(main)
    const codes: unknown[] = []
    for (let i = 0; i < 5; i++)
      codes.push((await victim.ask('textDocument/crash', { textDocument: { uri: main } })).error?.code)
    expect(codes).to.deep.equal([-32_802, -32_802, -32_802, -32_803, -32_803])
    expect(await other.textAt(main)).to.equal('fine')
    victim.didChange(main, 'changed', 2)
    await victim.diagnosed(main, 'changed')
    expect(
      (await victim.ask('textDocument/hover', { textDocument: { uri: main }, position: start })).error?.message,
    ).to.match(/Try again in 5 s/)
    world.clock.advance(5000)
    expect(await victim.textAt(main)).to.equal('changed')
  })

  it('gives the server a low priority', async () => {
    await using world = await lspWorld({})
    const client = await world.client()
    client.didOpen(main, 'text')
    await client.textAt(main)
    expect(getPriority(world.server.pidOf('mainnet'))).to.be.at.least(10)
  })

  it('treats an unresponsive server as crashed', async () => {
    await using world = await lspWorld({ limits: { hangMs: 200 } })
    const client = await world.client()
    const pid = world.server.pidOf('mainnet') ?? 0
    client.didOpen(main, 'before')
    await client.textAt(main)
    process.kill(pid, 'SIGSTOP')
    expect(await client.textAt(main)).to.equal('before')
    expect(world.server.pidOf('mainnet')).to.not.equal(pid)
    expect(await world.metrics.registry.getSingleMetricAsString('flowfarm_lsp_restarts_total')).to.match(
      /network="mainnet",reason="hang"} 1/,
    )
  })

  it('reports a failed start, and retries on the next request', async () => {
    await using world = await lspWorld({
      program: { ...fakeServerProgram, command: '/nowhere/at-all' },
      limits: { initMs: 100 },
    })
    const client = await world.otherUser()
    for (let i = 0; i < 2; i++) {
      const from = client.received.length
      client.send({ type: 'init', network: 'mainnet' })
      client.send({ jsonrpc: '2.0', id: i, method: 'textDocument/hover', params: { textDocument: { uri: main } } })
      expect(await client.next(({ type }) => type === 'error', from)).to.include({ code: 'server-unavailable' })
      await client.next(({ id, error }) => id === i && error !== undefined, from)
    }
    await world.workspaces.untilFolders(0)
  })

  it('stops the process when idle, and starts one for the next client', async () => {
    await using world = await lspWorld({ limits: { idleMs: 20 } })
    const first = await world.client()
    const pid = world.server.pidOf('mainnet')
    await first.close()
    await world.workspaces.untilFolders(0)
    while (world.server.pidOf('mainnet') === pid) await new Promise((resolve) => setTimeout(resolve, 10))
    const next = await world.client()
    next.didOpen(main, 'again')
    expect(await next.textAt(main)).to.equal('again')
  })

  it('loses and mixes up no document of 50 connections while the server is killed at random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 2 ** 31 - 1 }), async (seed) => {
        await using world = await lspWorld({ limits: { workPerSecond: 10_000, addressWorkPerSecond: 10_000 } })
        const random = randomFrom(seed)
        const clients = await Promise.all(Array.from({ length: 50 }, () => world.client()))
        const [watcher] = clients
        const killing = (async () => {
          for (let kills = 0; kills < 12; kills++) {
            const from = watcher?.received.length ?? 0
            kill(world)
            // Some are killed during their start.
            if (random() < 0.8 && watcher !== undefined) await restarted(watcher, from)
            await new Promise((resolve) => setTimeout(resolve, random() * 100))
          }
        })()
        await Promise.all([killing, ...clients.map((client, n) => edit(client, n, random))])
        for (const [n, client] of clients.entries()) {
          for (const uri of urisOf(n)) expect(await client.textAt(uri)).to.equal(`${n} ${uri} ${edits}`)
          const foreign = client.texts.filter(
            (text) => /"message":"(\d+) file/.test(text) && !text.includes(`"message":"${n} file`),
          )
          expect(foreign).to.deep.equal([])
          expect(client.texts.some((text) => text.includes(world.workspaces.root))).to.equal(false)
          expect(client.received.some(({ method }) => method === 'flow/documentSetAside')).to.equal(false)
          for (const uri of urisOf(n)) {
            const reported = client
              .diagnosticsOf(uri)
              .flat()
              .map((text) => Number(text.split(' ')[2]))
            expect(reported).to.deep.equal(reported.toSorted((a, b) => a - b))
            expect(reported.at(-1)).to.equal(edits)
          }
        }
      }),
      { numRuns: 3, endOnFailure: true },
    )
  })
})

const edits = 40

function urisOf(n: number): string[] {
  return n % 2 === 0 ? [main] : [main, 'file:///contracts/B.cdc']
}

/** Edits the documents of a client repeatedly, with requests in between. */
async function edit(client: LspClient, n: number, random: () => number): Promise<void> {
  const uris = urisOf(n)
  for (const uri of uris) client.didOpen(uri, `${n} ${uri} 0`, 0)
  for (let version = 1; version <= edits; version++) {
    for (const uri of uris) {
      const before = `${n} ${uri} `.length
      if (random() < 0.5) client.didChange(uri, `${n} ${uri} ${version}`, version)
      else
        client.didChange(uri, String(version), version, {
          start: { line: 0, character: before },
          end: { line: 0, character: before + 10 },
        })
    }
    if (random() < 0.3) {
      const uri = uris[Math.floor(random() * uris.length)] ?? main
      expect(await client.textAt(uri)).to.equal(`${n} ${uri} ${version}`)
    }
  }
}

/** Pseudorandom numbers from 0 to 1 for a seed. */
function randomFrom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32
  }
}
