import { expect } from 'chai'
import { portsOf, readConfig, settings } from './config.ts'
import { historicNodes, liveEndpoints } from './access/settings.ts'
import { FatalError } from './platform/errors.ts'

describe('configuration', () => {
  it('has the defaults of the specification', () => {
    const config = readConfig({}, {})
    expect(config).to.include({
      PORT: 8080,
      START_BLOCK: 0,
      RAW_ONLY: false,
      ENABLE_FORWARD_INGESTER: true,
      ENABLE_HISTORY_INGESTER: true,
      HISTORY_STOP_HEIGHT: 0,
      ENABLE_LIVE_DERIVERS: true,
      LIVE_DERIVERS_CHUNK: 10,
      LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: 100,
      ENABLE_HISTORY_DERIVERS: true,
      HISTORY_DERIVERS_CHUNK: 1000,
      HISTORY_DERIVERS_SLEEP_MS: 0,
      MAX_REORG_DEPTH: 1000,
      ENABLE_PRICE_FEED: false,
      ENABLE_TOKEN_WORKER: true,
      ENABLE_ANALYTICS_DERIVER_WORKER: true,
      TOKEN_WORKER_CONCURRENCY: 1,
      META_WORKER_RANGE: 1000,
    })
    expect(config.DB_URL).to.equal(undefined)
    expect(liveEndpoints(config)).to.deep.equal(['access.mainnet.nodes.onflow.org:9000'])
  })

  it('reports every bad variable at once, by name and with what would be right', () => {
    const environment = {
      PORT: '80o0',
      START_BLOCK: '-1',
      RAW_ONLY: 'maybe',
      DB_URL: 'mysql://localhost/x',
      LATEST_BATCH_SIZE: '0',
      LOG_LEVEL: 'loud',
      CHAIN_ACCESS_NODE: 'a:b:c',
      CHAIN_ACCESS_NODES: 'a:1,ftp://b',
      CHAIN_HISTORIC_ACCESS_NODES: 'sporks,c:0',
      CHAIN_ARCHIVE_NODE: 'grpc://d/path',
    }
    expect(() => readConfig({}, environment))
      .to.throw(FatalError)
      .and.satisfy((error: FatalError) => {
        expect(error.code).to.equal('bad-configuration')
        for (const name of Object.keys(environment)) expect(error.message).to.include(name)
        expect(error.message).to.include('must be an integer, not "80o0"')
        return true
      })
  })

  it('does not repeat a secret in its complaint', () => {
    const secrets = { DB_URL: 'mysql://user:hunter2@host/db', CHAIN_ARCHIVE_NODE: 'https://user:hunter2@host' }
    for (const [name, value] of Object.entries(secrets)) {
      expect(() => readConfig({}, { [name]: value }))
        .to.throw(FatalError)
        .with.property('message')
        .that.does.not.include('hunter2')
    }
  })

  it('takes an empty variable as absent', () => {
    expect(readConfig({}, { PORT: '', LATEST_WORKER_COUNT: '  ' })).to.include({
      PORT: 8080,
      LATEST_WORKER_COUNT: undefined,
    })
  })

  it('uses the primary access node together with the list of nodes, and the built-in one only without both', () => {
    const nodesOf = (variables: Record<string, string>): readonly string[] => liveEndpoints(readConfig({}, variables))
    expect(nodesOf({})).to.deep.equal(['access.mainnet.nodes.onflow.org:9000'])
    expect(nodesOf({ CHAIN_ACCESS_NODE: 'a:1' })).to.deep.equal(['a:1'])
    expect(nodesOf({ CHAIN_ACCESS_NODES: 'b:2,c:3' })).to.deep.equal(['b:2', 'c:3'])
    expect(nodesOf({ CHAIN_ACCESS_NODE: 'a:1', CHAIN_ACCESS_NODES: 'b:2,a:1' })).to.deep.equal(['a:1', 'b:2'])
  })

  it('reads lists separated by commas, semicolons or white space', () => {
    const config = readConfig({}, { CHAIN_ACCESS_NODES: 'a:1, b:2;c:3 d:4' })
    expect(liveEndpoints(config)).to.deep.equal(['a:1', 'b:2', 'c:3', 'd:4'])
  })

  it('uses the nodes of past sporks for the backfill unless a list without them, or an empty one, is set', () => {
    const nodesOf = (CHAIN_HISTORIC_ACCESS_NODES?: string) =>
      historicNodes(readConfig({}, { CHAIN_HISTORIC_ACCESS_NODES, CHAIN_ARCHIVE_NODE: 'z:9' }))
    expect(nodesOf()).to.deep.equal({ historicEndpoints: ['z:9'], includesSporks: true })
    expect(nodesOf('sporks,a:1')).to.deep.equal({ historicEndpoints: ['a:1', 'z:9'], includesSporks: true })
    expect(nodesOf('a:1,b:2')).to.deep.equal({ historicEndpoints: ['a:1', 'b:2', 'z:9'], includesSporks: false })
    for (const empty of ['', ' '])
      expect(nodesOf(empty)).to.deep.equal({ historicEndpoints: ['z:9'], includesSporks: false })
  })

  it('knows the variables of a worker by both of their names, and refuses two that disagree', () => {
    expect(readConfig({}, { TOKEN_CONCURRENCY: '3', META_RANGE: '50', NFT_ITEM_METADATA_RANGE: '7' })).to.include({
      TOKEN_WORKER_CONCURRENCY: 3,
      META_WORKER_RANGE: 50,
      NFT_ITEM_METADATA_WORKER_RANGE: 7,
    })
    expect(readConfig({}, { TOKEN_CONCURRENCY: '3', TOKEN_WORKER_CONCURRENCY: ' 3' })).to.include({
      TOKEN_WORKER_CONCURRENCY: 3,
    })
    expect(readConfig({}, { TOKEN_CONCURRENCY: '', TOKEN_WORKER_CONCURRENCY: '4' })).to.include({
      TOKEN_WORKER_CONCURRENCY: 4,
    })
    expect(readConfig({ TOKEN_WORKER_CONCURRENCY: '5' }, { TOKEN_CONCURRENCY: '3' })).to.include({
      TOKEN_WORKER_CONCURRENCY: 5,
    })
    expect(() => readConfig({}, { TOKEN_CONCURRENCY: '3', TOKEN_WORKER_CONCURRENCY: '4' })).to.throw(
      'TOKEN_WORKER_CONCURRENCY and TOKEN_CONCURRENCY are the same variable',
    )
  })

  it('gives PORT to the query service where the explorer API does not run, unless it has its own', () => {
    expect(portsOf(['ask', 'mcp'], { PORT: '9000' })).to.deep.equal({ ASK_PORT: '9000' })
    for (const environment of [{}, { PORT: ' ' }, { PORT: '9000', ASK_PORT: '9001' }])
      expect(portsOf(['ask'], environment)).to.deep.equal({})
    expect(portsOf(['api', 'ask'], { PORT: '9000' })).to.deep.equal({})
    expect(portsOf(['mcp'], { PORT: '9000' })).to.deep.equal({})
  })

  it('describes every variable in a sentence', () => {
    for (const [name, setting] of Object.entries(settings))
      expect(setting.description, name).to.match(/^[A-Za-z].{8,}\.$/s)
  })
})
