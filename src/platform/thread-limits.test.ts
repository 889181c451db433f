import type { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { limitThreadCpu, lowerPriorityOf, maxSlowdown } from './thread-limits.ts'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getPriority } from 'node:os'

/** Reports the CPU times of `readings`, ms, in order, then repeats the last one. */
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

describe('CPU limit of a thread', () => {
  it('is reached at the limit, counted from the call, and not before', async () => {
    const thread = new FakeThread(1000, 1000, 1009, 1009.5, 1010)
    await new Promise<void>((exceeded) => limitThreadCpu(thread, 10, exceeded))
    expect(thread.reads).to.equal(5)
  })

  it('is reached by wall time if the thread gets no CPU time', async () => {
    const thread = new FakeThread(0)
    const startedAt = performance.now()
    await new Promise<void>((exceeded) => limitThreadCpu(thread, 5, exceeded))
    expect(performance.now() - startedAt).to.be.at.least(5 * maxSlowdown - 1)
  })

  it('is reached by wall time if the thread does not report its CPU time', async () => {
    await new Promise<void>((exceeded) => limitThreadCpu({ cpuUsage: () => new Promise(() => undefined) }, 5, exceeded))
  })

  it('is not reported after the thread ends', async () => {
    const thread = new FakeThread(0, 100)
    let isExceeded = false
    const end = limitThreadCpu(thread, 1, () => (isExceeded = true))
    end()
    await new Promise<void>((exceeded) => limitThreadCpu(new FakeThread(0), 1, exceeded))
    expect(isExceeded).to.equal(false)
  })
})

/** Retains enough objects across collections that V8 grows the heap, and prints the used bytes. */
const program = (setUp: string): string => `
  import { getHeapSpaceStatistics } from 'node:v8'
  ${setUp}
  let kept = []
  for (let turn = 0; turn < 60; turn++) {
    for (let i = 0; i < 50_000; i++) kept.push({ i })
    if (kept.length > 200_000) kept = kept.slice(-100_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  console.log(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size)
`

function youngBytes(setUp: string): number {
  return Number(execFileSync(process.execPath, ['--input-type=module', '-e', program(setUp)], { encoding: 'utf8' }))
}

describe('young generation', () => {
  it('stops growing near the limit, and exceeds it without one', () => {
    const limited = youngBytes(
      `import { limitYoungGeneration } from '${import.meta.dirname}/thread-limits.ts'; limitYoungGeneration()`,
    )
    expect(limited).to.be.at.most(32 * 1024 * 1024)
    expect(youngBytes('')).to.be.greaterThan(limited)
  })
})

describe('priority of a child', () => {
  it('is lowered, and ignored if the child has ended or did not start', async () => {
    const child = spawn('sleep', ['100'])
    const ended = once(child, 'exit')
    lowerPriorityOf(child)
    expect(getPriority(child.pid)).to.be.at.least(10)
    child.kill('SIGKILL')
    await ended
    lowerPriorityOf(child)
    lowerPriorityOf({})
  })
})
