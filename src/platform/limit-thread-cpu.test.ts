import type { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { limitThreadCpu, maxSlowdown } from './limit-thread-cpu.ts'

/** Reports the CPU times of `readings`, ms, one after the other, and the last one from then on. */
class FakeThread implements Pick<Worker, 'cpuUsage'> {
  readonly readings: number[]
  reads = 0

  constructor(...readings: readonly number[]) {
    this.readings = [...readings]
  }

  async cpuUsage(): Promise<NodeJS.CpuUsage> {
    const ms = this.readings[Math.min(this.reads++, this.readings.length - 1)] ?? 0
    return { user: ms * 600, system: ms * 400 }
  }
}

describe('the CPU limit of a thread', () => {
  it('is reached at the limit, counted from the call, and not before', async () => {
    const thread = new FakeThread(1000, 1000, 1009, 1009.5, 1010)
    await new Promise<void>((exceeded) => limitThreadCpu(thread, 10, exceeded))
    expect(thread.reads).to.equal(5)
  })

  it('is reached by the clock when the thread gets no CPU time', async () => {
    const thread = new FakeThread(0)
    const startedAt = performance.now()
    await new Promise<void>((exceeded) => limitThreadCpu(thread, 5, exceeded))
    expect(performance.now() - startedAt).to.be.at.least(5 * maxSlowdown - 1)
  })

  it('is reached by the clock when the thread does not report its CPU time', async () => {
    await new Promise<void>((exceeded) => limitThreadCpu({ cpuUsage: () => new Promise(() => undefined) }, 5, exceeded))
  })

  it('is not reported after its end', async () => {
    const thread = new FakeThread(0, 100)
    let isExceeded = false
    const end = limitThreadCpu(thread, 1, () => (isExceeded = true))
    end()
    await new Promise<void>((exceeded) => limitThreadCpu(new FakeThread(0), 1, exceeded))
    expect(isExceeded).to.equal(false)
  })
})
