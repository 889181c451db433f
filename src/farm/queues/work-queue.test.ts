import { expect } from 'chai'
import fc from 'fast-check'
import { jobId, packLeases } from './work-queue.ts'
import type { RangeJob } from './work-queue.ts'

interface Lease {
  readonly worker: string
  readonly from: number
  readonly to: number
  readonly generation: number
  readonly attempt: number
}

const lease = (worker: string, from: number, to: number, rest: Partial<Lease> = {}): Lease => ({
  worker,
  from,
  to,
  generation: 0,
  attempt: 0,
  ...rest,
})

const keysOf = ({ workers, starts }: RangeJob): string[] =>
  workers.flatMap((worker) => starts.map((from) => `${worker}/${from}`))

/** Leases of a worker start at different heights. */
const leases = fc.uniqueArray(
  fc.record({
    worker: fc.constantFrom('a', 'b', 'c'),
    from: fc.integer({ min: 0, max: 40 }).map((n) => n * 10),
    length: fc.constantFrom(5, 10, 400),
    generation: fc.nat(3),
    attempt: fc.constantFrom(0, 0, 0, 1, 2),
  }),
  { selector: ({ worker, from }) => `${worker}/${from}`, maxLength: 120 },
)

describe('packLeases', () => {
  it('makes one job of a range that workers share', () => {
    expect(packLeases([lease('a', 0, 300), lease('b', 0, 300, { generation: 7 })])).to.deep.equal([
      { workers: ['a', 'b'], starts: [0], generation: 7 },
    ])
  })

  it('separates ranges that only start at the same height', () => {
    expect(packLeases([lease('a', 0, 10), lease('b', 0, 20)])).to.deep.equal([
      { workers: ['a'], starts: [0], generation: 0 },
      { workers: ['b'], starts: [0], generation: 0 },
    ])
  })

  it('packs small ranges of the same workers in the given order, up to 32 ranges or 320 heights', () => {
    const rangesOf = (count: number, length: number): Lease[] =>
      Array.from({ length: count }, (_, i) => [
        lease('a', i * 1000, i * 1000 + length),
        lease('b', i * 1000, i * 1000 + length),
      ]).flat()
    const lengths = (packed: readonly RangeJob[]): number[] => packed.map(({ starts }) => starts.length)
    expect(lengths(packLeases(rangesOf(33, 1)))).to.deep.equal([32, 1])
    expect(lengths(packLeases(rangesOf(7, 100)))).to.deep.equal([3, 3, 1])
    expect(lengths(packLeases(rangesOf(2, 500)))).to.deep.equal([1, 1])
    expect(packLeases([lease('a', 20, 30), lease('a', 0, 10)])[0]?.starts).to.deep.equal([20, 0])
  })

  it('shares the second try of a range, and separates the workers after that', () => {
    const tried = (attempt: number): RangeJob[] =>
      packLeases(
        [lease('a', 0, 10), lease('b', 0, 10), lease('a', 10, 20), lease('b', 10, 20)].map((one) => ({
          ...one,
          attempt,
        })),
      )
    expect(tried(0).map(({ workers, starts }) => [workers, starts])).to.deep.equal([
      [
        ['a', 'b'],
        [0, 10],
      ],
    ])
    expect(tried(1).map(({ workers, starts }) => [workers, starts])).to.deep.equal([
      [['a', 'b'], [0]],
      [['a', 'b'], [10]],
    ])
    expect(tried(2)).to.have.length(4)
    expect(
      packLeases([lease('a', 0, 10), lease('b', 0, 10, { attempt: 1, generation: 3 }), lease('a', 10, 20)]),
    ).to.deep.equal([
      { workers: ['a'], starts: [0, 10], generation: 0 },
      { workers: ['b'], starts: [0], generation: 3 },
    ])
  })

  it('puts every lease into exactly one job', () => {
    fc.assert(
      fc.property(leases, (drawn) => {
        const given = drawn.map(({ length, ...rest }) => ({ ...rest, to: rest.from + length }))
        const jobs = packLeases(given)
        expect(jobs.flatMap(keysOf).sort()).to.deep.equal(given.map(({ worker, from }) => `${worker}/${from}`).sort())
        for (const job of jobs) {
          const own = given.filter(({ worker, from }) => job.workers.includes(worker) && job.starts.includes(from))
          expect(job.generation).to.equal(Math.max(...own.map(({ generation }) => generation)))
          if (own.some(({ attempt }) => attempt > 0)) expect(job.starts).to.have.length(1)
          if (own.some(({ attempt }) => attempt > 1)) expect(own).to.have.length(1)
        }
        expect(new Set(jobs.map(jobId)).size).to.equal(jobs.length)
      }),
    )
  })
})

describe('jobId', () => {
  const job: RangeJob = { workers: ['a', 'b'], starts: [10, 20], generation: 3 }

  it('is the same for the same leases and valid for BullMQ', () => {
    expect(jobId({ ...job }))
      .to.equal(jobId(job))
      .and.to.match(/^[\w-]*-[\w-]*$/)
  })

  it('differs if a worker, a range or the generation differs', () => {
    const others: RangeJob[] = [
      { ...job, workers: ['a'] },
      { ...job, workers: ['a', 'b', 'c'] },
      { ...job, workers: ['a', 'c'] },
      { ...job, starts: [10] },
      { ...job, starts: [10, 30] },
      { ...job, generation: 4 },
    ]
    expect(new Set([job, ...others].map(jobId)).size).to.equal(others.length + 1)
  })
})
