import { Simulation } from './run-histories.ts'

/** A history that once failed, and the bug that made it fail. */
interface RegressionSeed {
  readonly seed: number
  readonly bug: string
}

/** Run before all others. A seed is added with each bug that the simulation finds, and stays. */
const regressionSeeds: readonly RegressionSeed[] = [
  { seed: 25, bug: 'a connection of the queues that broke while it was in use ended the process' },
]

/** SIMULATION_SEEDS: these seeds, with commas between, instead of all; SIMULATION_TIMES: how often each. */
const chosen = process.env['SIMULATION_SEEDS']?.split(',').map(Number)
const times = Number(process.env['SIMULATION_TIMES'] ?? 1)
/** Further seeds are in `rebuild-equivalence.long.test.ts`: a seed takes about two seconds of a processor. */
const seeds = chosen ?? Array.from({ length: 30 }, (_, i) => i + 1)

describe('rebuild equivalence', function (this: Mocha.Suite) {
  this.timeout(3_600_000)
  let simulation: Simulation | undefined
  before(async () => {
    simulation = await Simulation.open()
  })
  after(() => simulation?.close())

  if (chosen === undefined) {
    for (const { seed, bug } of regressionSeeds) {
      it(`holds where it did not once: ${bug}`, () => simulation?.run([seed]))
    }
  }

  it(`holds after ${seeds.length} random histories of kills, stalls, lost queues, cut connections, forks and people`, async () => {
    await simulation?.run(Array.from({ length: times }, () => seeds).flat())
  })
})
