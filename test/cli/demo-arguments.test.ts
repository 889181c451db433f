import { expect } from 'chai'
import { demoHelp, readDemoArguments } from '../../scripts/demo/arguments.ts'
import { startPriceFeed, simulatedLabels } from '../../scripts/demo/simulated-chain.ts'
import { readPrices } from '../../jobs/enrichment/price-feed-worker.ts'

describe('demo arguments', () => {
  it('default to a simulated chain of 10,000 blocks', () => {
    expect(readDemoArguments([])).to.deep.equal({ chain: 'simulated', blocks: 10_000, seed: 1, isStill: false })
    expect(readDemoArguments(['--blocks', '500', '--seed', '7', '--still'])).to.deep.equal({
      chain: 'simulated',
      blocks: 500,
      seed: 7,
      isStill: true,
    })
  })

  it('select a recording or print help', () => {
    expect(readDemoArguments(['--recording', 'a/b'])).to.deep.equal({
      chain: 'recorded',
      folder: 'a/b',
      isStill: false,
    })
    expect(readDemoArguments(['--help'])).to.equal('help')
    for (const option of ['blocks', 'seed', 'still', 'recording', 'help']) expect(demoHelp).to.include(`--${option} `)
  })

  it('are rejected with the name of the invalid argument', () => {
    expect(() => readDemoArguments(['--blocks', '10'])).to.throw('--blocks')
    expect(() => readDemoArguments(['--seed', 'x'])).to.throw('--seed')
    expect(() => readDemoArguments(['--recording', 'a', '--seed', '1'])).to.throw('--recording')
    expect(() => readDemoArguments(['--pace', '1'])).to.throw('--pace')
  })
})

describe('demo data on the simulated chain', () => {
  it('includes historical prices on the first request', async () => {
    const dayMs = 86_400_000
    const feed = await startPriceFeed({ from: Date.now() - 3 * dayMs })
    try {
      const ask = async (): Promise<ReturnType<typeof readPrices>> =>
        readPrices(await (await fetch(feed.url)).json(), new Date())
      const [first, second] = [await ask(), await ask()]
      expect(first).to.have.length.above(3 * second.length)
      expect(new Set(first.map(({ token }) => token)).size).to.equal(second.length)
      for (const { price } of first) expect(Number(price)).to.be.above(0)
    } finally {
      await feed.stop()
    }
  })

  it('includes unique names for accounts', () => {
    const labels = simulatedLabels()
    expect(labels).to.have.length.above(30)
    for (const { address, tag } of labels) {
      expect(address).to.match(/^0x(?:[0-9a-f]{16}|[0-9a-f]{40})$/)
      expect(tag).to.match(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    }
    expect(new Set(labels.map(({ address, tag }) => `${address} ${tag}`)).size).to.equal(labels.length)
  })
})
