import { Simulation } from './run-histories.ts'

/** A history that failed, and the bug that caused it. */
interface RegressionSeed {
  readonly seed: number
  readonly bug: string
}

/** Run first. A seed is added with each bug found by the simulation. */
const regressionSeeds: readonly RegressionSeed[] = [
  { seed: 25, bug: 'a connection of the queues that broke while it was in use ended the process' },
]

/**
 * SIMULATION_SEEDS: comma-separated seeds instead of all; SIMULATION_TIMES: repetitions of each.
 */
const chosen = process.env['SIMULATION_SEEDS']?.split(',').map(Number)
const times = Number(process.env['SIMULATION_TIMES'] ?? 1)
/**
 * Includes each kind of event in several histories. `rebuild-equivalence.long.test.ts` runs further
 * seeds; each takes about two CPU seconds.
 */
const seeds = chosen ?? Array.from({ length: 15 }, (_, i) => i + 1)

describe('rebuild equivalence', function (this: Mocha.Suite) {
  this.timeout(3_600_000)
  let simulation: Simulation | undefined
  before(async () => {
    simulation = await Simulation.open()
  })
  after(() => simulation?.close())

  if (chosen === undefined) {
    for (const { seed, bug } of regressionSeeds) {
      it(`holds for a former failure: ${bug}`, () => simulation?.run([seed]))
    }
  }

  it(`holds after ${seeds.length} random histories of kills, stalls, lost queues, lost connections, forks and operator actions`, async () => {
    await simulation?.run(Array.from({ length: times }, () => seeds).flat())
  })
})
