import { expect } from 'chai'
import { demoHelp, readDemoArguments } from '../../scripts/demo/arguments.ts'
import { startPriceFeed, simulatedLabels } from '../../scripts/demo/simulated-chain.ts'
import { readPrices } from '../../jobs/enrichment/price-feed-worker.ts'

describe('the arguments of the demo', () => {
  it('are a simulated chain of ten thousand blocks without any', () => {
    expect(readDemoArguments([])).to.deep.equal({ chain: 'simulated', blocks: 10_000, seed: 1, isStill: false })
    expect(readDemoArguments(['--blocks', '500', '--seed', '7', '--still'])).to.deep.equal({
      chain: 'simulated',
      blocks: 500,
      seed: 7,
      isStill: true,
    })
  })

  it('name a recording instead, or ask for help', () => {
    expect(readDemoArguments(['--recording', 'a/b'])).to.deep.equal({
      chain: 'recorded',
      folder: 'a/b',
      isStill: false,
    })
    expect(readDemoArguments(['--help'])).to.equal('help')
    for (const option of ['blocks', 'seed', 'still', 'recording', 'help']) expect(demoHelp).to.include(`--${option} `)
  })

  it('are refused with the name of what is wrong', () => {
    expect(() => readDemoArguments(['--blocks', '10'])).to.throw('--blocks')
    expect(() => readDemoArguments(['--seed', 'x'])).to.throw('--seed')
    expect(() => readDemoArguments(['--recording', 'a', '--seed', '1'])).to.throw('--recording')
    expect(() => readDemoArguments(['--pace', '1'])).to.throw('--pace')
  })
})

describe('what the demo adds to the simulated chain', () => {
  it('has prices that can be read, of the past to who asks first', async () => {
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

  it('has names for accounts, none of which an account has twice', () => {
    const labels = simulatedLabels()
    expect(labels).to.have.length.above(30)
    for (const { address, tag } of labels) {
      expect(address).to.match(/^0x(?:[0-9a-f]{16}|[0-9a-f]{40})$/)
      expect(tag).to.match(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    }
    expect(new Set(labels.map(({ address, tag }) => `${address} ${tag}`)).size).to.equal(labels.length)
  })
})
