import { expect } from 'chai'
import { pino } from 'pino'
import { RawWebSocket } from '../../../test/support/raw-websocket.ts'
import { FatalError } from '../errors.ts'
import { Metrics } from '../metrics.ts'
import { startMetricsServer } from './metrics-server.ts'

const log = pino({ level: 'silent' })
const host = '127.0.0.1'

describe('metrics server', () => {
  it('serves only the metrics of the process', async () => {
    const metrics = new Metrics()
    metrics.blocksStored.inc({ ingester: 'main_ingester' }, 7)
    const server = await startMetricsServer({ metrics, log, host, port: 0 })
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`)
    expect(await answer.text()).to.include('flowfarm_ingest_blocks_total{ingester="main_ingester"} 7')
    expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).to.equal(404)
    const rebound = await RawWebSocket.open(server.port, '/metrics', '', 'rebound.example')
    expect(rebound.answer)
      .to.match(/^HTTP\/1.1 403 /)
      .and.not.to.include('flowfarm_')
    rebound.socket.destroy()
    await server.close()
  })

  it('names the variable if the port is in use', async () => {
    const first = await startMetricsServer({ metrics: new Metrics(), log, host, port: 0 })
    const second = startMetricsServer({ metrics: new Metrics(), log, host, port: first.port })
    expect(await second.catch((error: unknown) => error))
      .to.be.instanceOf(FatalError)
      .with.property('message')
      .that.includes('METRICS_PORT')
    await first.close()
  })
})
